#include "egress/fragments.h"

bool
fragments_begin(AVFormatContext *fmt)
{
	AVDictionary *how = NULL;
	bool done;

	/* Options of MP4; others pass over them. */
	av_dict_set(&how, "movflags",
	    "+frag_custom+empty_moov+default_base_moof+frag_discont+skip_trailer", 0);
	av_dict_set(&how, "use_editlist", "0", 0);
	av_dict_set(&how, "video_track_timescale", "48000", 0);
	done = avformat_write_header(fmt, &how) >= 0;
	av_dict_free(&how);
	return done;
}
