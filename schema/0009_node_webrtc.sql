-- SPDX-License-Identifier: GPL-3.0-or-later
-- The report of a node's gateway about WebRTC.
ALTER TABLE nodes ADD COLUMN webrtc TEXT;            -- JSON, see participants_report(); NULL: off
