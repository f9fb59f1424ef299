#!/bin/sh
# Check the texts of the pages, web/i18n. Every language must have the same keys, with the
# same names in braces.  Each key must be used in the page of its section, and each used key
# must exist.  Every text of an HTML file must have a key.  Run in the root of the tree, or
# in that of a fixture.

# SPDX-License-Identifier: GPL-3.0-or-later
for f in web/i18n/*.json; do
	jq -r --arg code "$(basename "$f" .json)" 'to_entries[] | .key as $section | .value | to_entries[] |
		[$code, $section, .key, .value] | join("\u0001") | gsub("\n"; " ")' "$f" ||
		printf '%s\001\001\001\n' "$(basename "$f" .json)"
done | exec perl -we '
use strict;
binmode STDIN, ":encoding(UTF-8)";
binmode STDOUT, ":encoding(UTF-8)";
my (%text, %section, %used, @prefixes, $bad);
sub breach { print "@_\n"; $bad = 1 }

while (<STDIN>) {
	chomp;
	my ($code, $section, $key, $text) = split /\x01/, $_, 4;
	$text{$code}{$key} = $text;
	$section{$key} = $section if $code eq "en";
	breach("$code: $key is empty") if ($text // "") !~ /\S/;
}
my %en = %{$text{en} || {}};
my $names = sub { join " ", sort($_[0] =~ /\{(\w+)\}/g) };
for my $code (sort keys %text) {
	for my $key (sort keys %en) {
		my $text = $text{$code}{$key};
		breach("$code: $key is missing"), next unless defined $text;
		breach("$code: $key has other names in braces") if $names->($text) ne $names->($en{$key});
	}
	exists $en{$_} or breach("$code: en has no $_") for sort keys %{$text{$code}};
}

sub use_key {
	my ($key, $file) = @_;
	my ($page) = $file =~ m,^web/([a-z]+)/,;
	$used{$key} = 1;
	return breach("$file: no text $key") unless exists $en{$key};
	breach("$file: $key is of $section{$key}") unless $section{$key} eq "shared" || $section{$key} eq $page;
}

sub read_html {
	my ($file, $html) = @_;
	$html =~ s/<(script|style)\b.*?<\/\1>//gs;
	$html =~ s/<!--.*?-->//gs;
	use_key($1, $file) while $html =~ /data-i18n(?:-\w+)?="([^"]*)"/g;
	while ($html =~ /<(\w+)([^>]*)>([^<]*)/g) {
		my ($tag, $attributes, $text) = ($1, $2, $3);
		for ([qw(aria-label label)], [qw(placeholder placeholder)], [qw(title -)], [qw(alt alt)]) {
			my ($name, $key) = @$_;
			breach("$file: no key for the $name of $tag") if $attributes =~ /\s$name="[^"]*\pL/ && $attributes !~ /data-i18n-$key=/;
		}
		$text =~ s/\s+/ /g, $text =~ s/^ | $//g;
		next if $text !~ /\pL/ || $attributes =~ /translate="no"/;
		my ($key) = $attributes =~ /data-i18n="([^"]*)"/;
		defined $key or breach("$file: no key for \"$text\""), next;
		(my $plain = $text) =~ s/&amp;/&/g;
		breach("$file: \"$text\" is not what en has for $key") if exists $en{$key} && $plain ne $en{$key};
	}
	while ($html =~ /<\/\w+>([^<]*\pL[^<]*)/g) { breach("$file: no key for \"$1\"") }
}

sub read_module {
	my ($file, $text) = @_;
	use_key($1, $file) while $text =~ /\bt\("([^"]+)"/g;
	while ($text =~ /`([a-z]+\.[\w.]*)\$\{/g) {
		push @prefixes, my $prefix = $1;
		breach("$file: $prefix... is every text of the page: add a group") if $prefix =~ /^(console|docs|first|home|listen|poster|screen|speak)\.$/;
	}
	while ($text =~ /"([a-z]+\.[\w.]+)"/g) { use_key($1, $file) if exists $en{$1} }
}

for my $file (glob("web/*/*.html"), glob("web/*/*.js")) {
	open my $in, "<:encoding(UTF-8)", $file or die "$file: $!";
	my $text = do { local $/; <$in> };
	$file =~ /html$/ ? read_html($file, $text) : read_module($file, $text);
}
for my $key (sort keys %en) {
	breach("$key is not used") unless $used{$key} || grep { index($key, $_) == 0 } @prefixes;
}
if (open my $in, "<", "web/shared/i18n.js") {
	my $list = join "", <$in>;
	my ($named) = $list =~ /languages = \{(.*?)\}/s;
	for my $code (sort keys %text) { breach("web/shared/i18n.js does not name $code") if ($named // "") !~ /\b$code:/ }
	for my $code (($named // "") =~ /(\w+):/g) { breach("no texts in $code") unless $text{$code} }
}
exit($bad ? 1 : 0);
'
