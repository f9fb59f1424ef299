// SPDX-License-Identifier: GPL-3.0-or-later
// A speaker and listeners with LiveKit's Go SDK.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/livekit/protocol/auth"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/pion/webrtc/v4"
)

const task = `{"message_type":"set_task","data":{
	"input_stream":{"content_type":"audio","source":{"type":"webrtc"}},
	"output_stream":{"content_type":"audio","target":{"type":"webrtc"}},
	"pipeline":{"transcription":{"source_language":"en"},
		"translations":[{"target_language":"es"}],
		"allowed_message_types":["translated_transcription"]}}}`

type session struct {
	ID         string   `json:"id"`
	Publisher  string   `json:"publisher"`
	Subscriber []string `json:"subscriber"`
	URL        string   `json:"webrtc_url"`
	Room       string   `json:"webrtc_room_name"`
}

func call(method, path, body string, to any) error {
	request, err := http.NewRequest(method, os.Getenv("BASE_URL")+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s", method, path, answer.Status)
	}
	if to == nil {
		return nil
	}
	return json.NewDecoder(answer.Body).Decode(&struct {
		Data any `json:"data"`
	}{to})
}

// A speaker in a session of its own.
func with(listeners int, f func(session) error) error {
	var s session
	body := fmt.Sprintf(`{"data":{"subscriber_count":%d}}`, listeners)
	if err := call("POST", "/session-storage/session", body, &s); err != nil {
		return err
	}
	err := f(s)
	if gone := call("DELETE", "/session-storage/sessions/"+s.ID, "", nil); err == nil {
		err = gone
	}
	return err
}

// The sound and messages that one participant has received.
type client struct {
	room    *lksdk.Room
	lock    sync.Mutex
	texts   []string
	eos     bool
	packets int // samples of sound, without silence
	lost    int
}

func (c *client) take(data []byte) {
	var m struct {
		Type string `json:"message_type"`
		Data struct {
			Transcription struct{ Text string }
		}
	}
	if json.Unmarshal(data, &m) != nil {
		return
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	c.eos = c.eos || m.Type == "eos"
	if m.Type == "translated_transcription" {
		c.texts = append(c.texts, m.Data.Transcription.Text)
	}
}

func (c *client) hear(track *webrtc.TrackRemote) {
	last := -1
	for {
		packet, _, err := track.ReadRTP()
		if err != nil {
			return
		}
		c.lock.Lock()
		if last >= 0 && packet.SequenceNumber != uint16(last+1) {
			c.lost++
		}
		if last = int(packet.SequenceNumber); len(packet.Payload) > 20 {
			c.packets++
		}
		c.lock.Unlock()
	}
}

func join(url, token string) (*client, error) {
	c := &client{}
	callback := &lksdk.RoomCallback{ParticipantCallback: lksdk.ParticipantCallback{
		OnDataReceived: func(data []byte, _ lksdk.DataReceiveParams) { c.take(data) },
		OnTrackSubscribed: func(t *webrtc.TrackRemote, p *lksdk.RemoteTrackPublication, _ *lksdk.RemoteParticipant) {
			if p.Name() == "translation_es" {
				go c.hear(t)
			}
		},
	}}
	room, err := lksdk.ConnectToRoomWithToken(url, token, callback)
	c.room = room
	return c, err
}

// Speaks three phrases of a file, in real time.
func (c *client) speak() error {
	if err := c.say(task); err != nil {
		return err
	}
	track, err := lksdk.NewLocalFileTrack(os.Getenv("SOUNDS") + "/phrases.ogg")
	if err == nil {
		_, err = c.room.LocalParticipant.PublishTrack(track, &lksdk.TrackPublicationOptions{Name: "microphone"})
	}
	return err
}

func (c *client) say(message string) error {
	var small bytes.Buffer
	if err := json.Compact(&small, []byte(message)); err != nil {
		return err
	}
	return c.room.LocalParticipant.PublishDataPacket(lksdk.UserData(small.Bytes()), lksdk.WithDataPublishReliable(true))
}

func (c *client) until(what string, has func() bool) error {
	for end := time.Now().Add(25 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		c.lock.Lock()
		ok := has()
		c.lock.Unlock()
		if ok {
			return nil
		}
	}
	return fmt.Errorf("%s awaited in vain: %d texts, %d packets", what, len(c.texts), c.packets)
}

// Expects all three phrases and a second of sound, without losses.
func (c *client) hears() error {
	err := c.until("texts", func() bool { return len(c.texts) == 3 })
	if err == nil {
		err = c.until("sound", func() bool { return c.packets > 50 })
	}
	for _, text := range c.texts {
		if err == nil && text != "[es] hello world" {
			err = fmt.Errorf("%s", text)
		}
	}
	if err == nil && c.lost > 0 {
		err = fmt.Errorf("%d gaps", c.lost)
	}
	return err
}

func translated(s session) error {
	speaker, err := join(s.URL, s.Publisher)
	if err != nil {
		return err
	}
	defer speaker.room.Disconnect()
	if err = speaker.speak(); err == nil {
		err = speaker.hears()
	}
	if err == nil {
		err = speaker.say(`{"message_type":"end_task","data":{"eos_timeout":1}}`)
	}
	if err == nil {
		err = speaker.until("eos", func() bool { return speaker.eos })
	}
	return err
}

func heard(url, speaking string, listening []string) error {
	var listeners []*client
	for _, token := range listening {
		c, err := join(url, token)
		if err != nil {
			return err
		}
		defer c.room.Disconnect()
		listeners = append(listeners, c)
	}
	speaker, err := join(url, speaking)
	if err != nil {
		return err
	}
	defer speaker.room.Disconnect()
	if err = speaker.speak(); err != nil {
		return err
	}
	for i, c := range listeners {
		if err = c.hears(); err != nil {
			return fmt.Errorf("listener %d: %w", i+1, err)
		}
	}
	return nil
}

// Makes a token as a backend does that knows only the key, its secret and the room.
func made(room, identity string, speaks bool) string {
	grant := &auth.VideoGrant{RoomJoin: true, Room: room, CanPublish: &speaks}
	token, err := auth.NewAccessToken(os.Getenv("JWT_KEY"), os.Getenv("JWT_SECRET")).
		SetIdentity(identity).SetValidFor(time.Hour).SetVideoGrant(grant).ToJWT()
	if err != nil {
		panic(err)
	}
	return token
}

func main() {
	failed := false
	try := func(what string, listeners int, f func(session) error) {
		result := "passed"
		if err := with(listeners, f); err != nil {
			result, failed = "failed: "+strings.ReplaceAll(err.Error(), "\n", " "), true
		}
		fmt.Printf("%s|%s\n", what, result)
	}
	try("a speaker is translated", 0, translated)
	try("five listeners hear all, nothing is lost", 5, func(s session) error {
		return heard(s.URL, s.Publisher, s.Subscriber)
	})
	try("tokens that LiveKit's tools make", 0, func(s session) error {
		return heard(s.URL, made(s.Room, "speaker", true), []string{made(s.Room, "listener", false)})
	})
	if failed {
		os.Exit(1)
	}
}
