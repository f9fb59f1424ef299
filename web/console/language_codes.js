// SPDX-License-Identifier: GPL-3.0-or-later
// Codes of languages that the service accepts but does not list.

/** Source and target languages of glossaries. */
export const SOURCES = ("ar auto ba be bg bn ca cs cy da de el en eo es et eu fa fi fr ga gl he hi hr hu ia id it ja ko lt lv mn mr ms mt nl no pl pt ro " +
	"ru sk sl sv sw ta th tr ug uk ur vi yue zh").split(" ");
export const TARGETS = ("ar ar-ae ar-sa az be bg bs ca cs cy da de el en en-au en-ca en-gb en-us es es-mx et fi fil fr fr-ca gl he hi hr hu id is it ja " +
	"kk ko lt lv mk ms nl no pl pt pt-br ro ru sk sl sr sv sw ta th tr uk ur vi zh zh-hans zh-hant").split(" ");
