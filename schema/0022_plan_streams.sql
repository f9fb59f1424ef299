-- SPDX-License-Identifier: GPL-3.0-or-later
ALTER TABLE accounts ADD COLUMN plan_streams INTEGER; -- most streams into and out of channels; NULL: the setting's value
