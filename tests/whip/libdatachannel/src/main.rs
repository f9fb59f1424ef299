// SPDX-License-Identifier: GPL-3.0-or-later
// usage: whip-libdatachannel WHIP_URL TOKEN AUDIO_PORT VIDEO_PORT SECONDS
//
// Publish by WHIP with libdatachannel, as OBS does: the offer has a track of Opus and one of H.264,
// and no candidates. RTP packets that arrive at the ports are sent. Print a JSON object: the status
// of the answer, the seconds until the connection, the packets sent, the status of DELETE.
use datachannel_sys as rtc;
use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::io::Write;
use std::net::UdpSocket;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

static CONNECTED: AtomicBool = AtomicBool::new(false);

unsafe extern "C" fn changed(_: c_int, state: rtc::rtcState, _: *mut c_void) {
    if state == rtc::rtcState_RTC_CONNECTED {
        CONNECTED.store(true, Ordering::SeqCst);
    }
}

/// Add a track that sends; returns its id.
fn add_track(peer: c_int, codec: rtc::rtcCodec, payload_type: c_int, mid: &str) -> c_int {
    let (mid, name) = (CString::new(mid).unwrap(), CString::new("encoder").unwrap());
    let init = rtc::rtcTrackInit {
        direction: rtc::rtcDirection_RTC_DIRECTION_SENDONLY,
        codec,
        payloadType: payload_type,
        ssrc: payload_type as u32,
        mid: mid.as_ptr(),
        name: name.as_ptr(),
        msid: name.as_ptr(),
        trackId: std::ptr::null(),
        profile: std::ptr::null(),
    };
    unsafe { rtc::rtcAddTrackEx(peer, &init) }
}

/// The description that was set, without candidates.
fn offer_of(peer: c_int) -> String {
    let mut text = [0 as c_char; 16384];
    unsafe { rtc::rtcGetLocalDescription(peer, text.as_mut_ptr(), text.len() as c_int) };
    let all = unsafe { CStr::from_ptr(text.as_ptr()) }.to_str().unwrap();
    let kept = all.lines().filter(|line| !line.contains("candidate"));
    kept.map(|line| format!("{line}\r\n")).collect()
}

/// Ask by curl; returns the head and the body.
fn ask(method: &str, url: &str, token: &str, body: &str) -> (String, String) {
    let bearer = format!("Authorization: Bearer {token}");
    let mut curl = Command::new("curl")
        .args(["-si", "-X", method, url, "-H", &bearer, "-H", "Content-Type: application/sdp"])
        .args(["--data-binary", "@-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    curl.stdin.take().unwrap().write_all(body.as_bytes()).unwrap();
    let answer = String::from_utf8(curl.wait_with_output().unwrap().stdout).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    (head.to_string(), body.to_string())
}

fn status_of(head: &str) -> &str {
    head.split(' ').nth(1).unwrap_or("0")
}

fn listen(port: &str) -> UdpSocket {
    let socket = UdpSocket::bind(format!("127.0.0.1:{port}")).unwrap();
    socket.set_nonblocking(true).unwrap();
    socket
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (url, token, seconds) = (&args[1], &args[2], args[5].parse().unwrap());
    let began = Instant::now();
    let config: rtc::rtcConfiguration = unsafe { std::mem::zeroed() };
    let peer = unsafe { rtc::rtcCreatePeerConnection(&config) };
    let tracks = [
        (add_track(peer, rtc::rtcCodec_RTC_CODEC_OPUS, 111, "0"), listen(&args[3])),
        (add_track(peer, rtc::rtcCodec_RTC_CODEC_H264, 96, "1"), listen(&args[4])),
    ];
    let kind = CString::new("offer").unwrap();
    unsafe {
        rtc::rtcSetStateChangeCallback(peer, Some(changed));
        rtc::rtcSetLocalDescription(peer, kind.as_ptr());
    }
    let (head, answer) = ask("POST", url, token, &offer_of(peer));
    let (answer, kind) = (CString::new(answer).unwrap(), CString::new("answer").unwrap());
    let taken = unsafe { rtc::rtcSetRemoteDescription(peer, answer.as_ptr(), kind.as_ptr()) };
    let (mut connected, mut sent, mut packet) = (None, 0, [0u8; 2048]);
    while began.elapsed() < Duration::from_secs(seconds) {
        if connected.is_none() && CONNECTED.load(Ordering::SeqCst) {
            connected = Some(began.elapsed().as_secs_f64());
        }
        for (track, socket) in &tracks {
            while let Ok(n) = socket.recv(&mut packet) {
                let data = packet.as_ptr() as *const c_char;
                sent += (unsafe { rtc::rtcSendMessage(*track, data, n as c_int) } >= 0) as i32;
            }
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let place = head.lines().find_map(|l| l.to_lowercase().starts_with("location:").then(|| l[9..].trim()));
    let host = url.splitn(4, '/').take(3).collect::<Vec<_>>().join("/");
    let resource = place.map(|p| if p.starts_with('/') { format!("{host}{p}") } else { p.to_string() });
    let deleted = resource.map(|at| ask("DELETE", &at, token, "").0);
    println!(
        "{{\"status\":{},\"taken\":{},\"connected\":{},\"sent\":{},\"deleted\":{}}}",
        status_of(&head),
        taken >= 0,
        connected.map_or("null".to_string(), |s| format!("{s:.3}")),
        sent,
        deleted.as_deref().map_or("0", status_of)
    );
    unsafe { rtc::rtcClosePeerConnection(peer) };
}
