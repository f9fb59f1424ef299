// SPDX-License-Identifier: GPL-3.0-or-later
// Five calls: read the caller; create, read and delete a glossary; list built-in voices.
package main

import (
	"context"
	"log"
	"os"

	"dragoman"
)

func check(what string, err error) {
	if err != nil {
		log.Fatalf("%s: %v", what, err)
	}
}

func main() {
	conf := dragoman.NewConfiguration()
	conf.Servers = dragoman.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	client := dragoman.NewAPIClient(conf)
	ctx := context.WithValue(context.Background(), dragoman.ContextAccessToken, os.Getenv("API_KEY"))

	_, _, err := client.KeysAPI.GetCaller(ctx).Execute()
	check("GetCaller", err)
	data := dragoman.NewCreateGlossaryRequestData("Go terms", "translation", dragoman.GlossarySource("en"))
	data.SetTargetLang(dragoman.GlossaryLanguage("es"))
	made, _, err := client.GlossariesAPI.CreateGlossary(ctx).
		CreateGlossaryRequest(*dragoman.NewCreateGlossaryRequest(*data)).Execute()
	check("CreateGlossary", err)
	id := made.Data.GlossaryId
	read, _, err := client.GlossariesAPI.GetGlossary(ctx, id).Execute()
	check("GetGlossary", err)
	if read.Data.Name != "Go terms" {
		log.Fatalf("the name is %s", read.Data.Name)
	}
	_, _, err = client.VoicesAPI.ListBuiltinVoices(ctx).Execute()
	check("ListBuiltinVoices", err)
	_, _, err = client.GlossariesAPI.DeleteGlossary(ctx, id).Execute()
	check("DeleteGlossary", err)
}
