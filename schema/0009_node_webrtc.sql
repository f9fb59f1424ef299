-- What a node's gateway tells of WebRTC.
ALTER TABLE nodes ADD COLUMN webrtc TEXT;            -- JSON, see participants_report(); NULL: it is off
