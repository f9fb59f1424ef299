-- SPDX-License-Identifier: GPL-3.0-or-later
-- Serves programs from version 37 on.
-- The connection of each node to NATS, for its health and metrics.

ALTER TABLE nodes ADD COLUMN nats TEXT; -- JSON, see cluster_report(); NULL: cluster.nats is not set
