BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0008');
CREATE TABLE artifacts (
	artifact_id VARCHAR(32) NOT NULL, 
	run_id VARCHAR(32) NOT NULL, 
	document_id VARCHAR(32) NOT NULL, 
	generator VARCHAR(16) NOT NULL, 
	variant INTEGER NOT NULL, 
	iteration INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	provider VARCHAR(100) NOT NULL, 
	model VARCHAR(200) NOT NULL, 
	parents JSON NOT NULL, 
	text TEXT, 
	file VARCHAR(2048), 
	tenant_id VARCHAR(32) NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	epoch INTEGER NOT NULL, 
	lease_until DATETIME, 
	owner VARCHAR(128), 
	attempts INTEGER NOT NULL, 
	published_at DATETIME, 
	error_kind VARCHAR(64), 
	error TEXT, 
	created_at DATETIME NOT NULL, 
	finished_at DATETIME, proof JSON, not_before DATETIME, failures INTEGER DEFAULT '0' NOT NULL, rests BOOLEAN DEFAULT 0 NOT NULL, taken_from VARCHAR(32), 
	PRIMARY KEY (artifact_id), 
	FOREIGN KEY(document_id) REFERENCES documents (document_id), 
	FOREIGN KEY(run_id) REFERENCES runs (run_id), 
	CONSTRAINT artifacts_once UNIQUE (document_id, generator, variant, iteration)
);
INSERT INTO "artifacts" VALUES('01M847BFXJHEKFNMYK0ZSXABV1','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','fpf',1,1,1,'alpha','m1','[]','# Wind

What follows gathers the essentials of Wind. It takes the given facts first and then draws the consequences one by one.

## Background

Viewed from a distance, the first point is that Warm air rises, and cold air takes its place. The source notes that Warm air rises, and cold air takes its place. The figures are those of the source and were not rounded. That is less obvious than it sounds. The same passage adds that Warm air rises, and cold air takes its place. Readers in a hurry may stop here and go to the list. Here Warm air rises, and cold air takes its place. Equally, Warm air rises, and cold air takes its place. It is recorded that Warm air rises, and cold air takes its place. The same passage adds that Warm air rises, and cold air takes its place.

## In detail

A more careful reading reveals that Warm air rises, and cold air takes its place. It is worth repeating that Warm air rises, and cold air takes its place. The same passage adds that Warm air rises, and cold air takes its place. The document also says that Warm air rises, and cold air takes its place. Beside this, Warm air rises, and cold air takes its place. The document also says that Warm air rises, and cold air takes its place. Here Warm air rises, and cold air takes its place. It is worth repeating that Warm air rises, and cold air takes its place. It is worth repeating that Warm air rises, and cold air takes its place. The figures are those of the source and were not rounded. The order in which they are given is deliberate. The document also says that Warm air rises, and cold air takes its place. According to the source, Warm air rises, and cold air takes its place. The document also says that Warm air rises, and cold air takes its place. The source notes that Warm air rises, and cold air takes its place. It is recorded that Warm air rises, and cold air takes its place. The source notes that Warm air rises, and cold air takes its place.

## Points to keep

- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.

## In practice

In everyday practice this means that Warm air rises, and cold air takes its place. Yet to be settled is how far this holds elsewhere. Readers in a hurry may stop here and go to the list. More precisely, Warm air rises, and cold air takes its place. Each of these points can be checked against the original. It is recorded that Warm air rises, and cold air takes its place. The document also says that Warm air rises, and cold air takes its place. Here Warm air rises, and cold air takes its place. Each of these points can be checked against the original. Each of these points can be checked against the original. Beside this, Warm air rises, and cold air takes its place.

## Conclusion

All in all, the material supports one conclusion: Warm air rises, and cold air takes its place.','wind.fpf.1.m1.gme.md','default','done',1,NULL,NULL,1,'2025-11-23 12:51:04.238481',NULL,NULL,'2025-11-23 12:51:04.238481','2025-11-23 12:51:04.682155','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,NULL);
INSERT INTO "artifacts" VALUES('01M847BFXJHEKFNMYK0ZSXABV2','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','fpf',2,1,2,'alpha','m2','[]','# Wind

What follows gathers the essentials of Wind. It takes the given facts first and then draws the consequences one by one.

## The situation

Looked at from outside, the first point is that Warm air rises, and cold air takes its place. It is recorded that Warm air rises, and cold air takes its place. Equally, Warm air rises, and cold air takes its place. That is less obvious than it sounds. The source notes that Warm air rises, and cold air takes its place. Equally, Warm air rises, and cold air takes its place. The same passage adds that Warm air rises, and cold air takes its place. The document also says that Warm air rises, and cold air takes its place. The source notes that Warm air rises, and cold air takes its place. More precisely, Warm air rises, and cold air takes its place.

## A closer look

A closer reading shows that Warm air rises, and cold air takes its place. The same passage adds that Warm air rises, and cold air takes its place. This has been so for some time. According to the source, Warm air rises, and cold air takes its place. According to the source, Warm air rises, and cold air takes its place. The same passage adds that Warm air rises, and cold air takes its place. According to the source, Warm air rises, and cold air takes its place. More precisely, Warm air rises, and cold air takes its place. None of them stands alone. According to the source, Warm air rises, and cold air takes its place. Here Warm air rises, and cold air takes its place. Beside this, Warm air rises, and cold air takes its place. The same passage adds that Warm air rises, and cold air takes its place. Each of these points can be checked against the original. It is worth repeating that Warm air rises, and cold air takes its place. More precisely, Warm air rises, and cold air takes its place. Where the source is silent, so is this text. Equally, Warm air rises, and cold air takes its place.

## Points to keep

- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.

## Consequences

For day-to-day work this means that Warm air rises, and cold air takes its place. One point still to be settled is how far this holds elsewhere. According to the source, Warm air rises, and cold air takes its place. The same passage adds that Warm air rises, and cold air takes its place. That is less obvious than it sounds. The figures are those of the source and were not rounded. Each of these points can be checked against the original. The document also says that Warm air rises, and cold air takes its place. The source notes that Warm air rises, and cold air takes its place. The order in which they are given is deliberate. Beside this, Warm air rises, and cold air takes its place.

## Conclusion

Considered together, the material supports one conclusion: Warm air rises, and cold air takes its place.','wind.fpf.2.m2.9be.md','default','done',1,NULL,NULL,1,'2025-11-23 12:51:04.238481',NULL,NULL,'2025-11-23 12:51:04.238481','2025-11-23 12:51:04.685425','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,NULL);
INSERT INTO "artifacts" VALUES('01M847BFXMEFZMXA6S0AER8X9B','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','fpf',1,1,1,'alpha','m1','[]','# Rivers

The text below gathers the essentials of Rivers. It begins with the facts as given and then draws the consequences one by one.

## Background

Looked at from outside, the first point is that a river carries water from the hills to the sea. According to the source, a river carries water from the hills to the sea. It is recorded that a river carries water from the hills to the sea. Where the source is silent, so is this text. Beside this, a river carries water from the hills to the sea.

## In detail

A closer reading shows that a river carries water from the hills to the sea. More precisely, a river carries water from the hills to the sea. The source notes that a river carries water from the hills to the sea. Each of these points can be checked against the original. Beside this, a river carries water from the hills to the sea. According to the source, a river carries water from the hills to the sea. Where the source is silent, so is this text. According to the source, a river carries water from the hills to the sea. The document also says that a river carries water from the hills to the sea.

## At a glance

- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.

## Consequences

In everyday practice this means that a river carries water from the hills to the sea. Yet to be settled is how far this holds elsewhere. Here a river carries water from the hills to the sea. Readers in a hurry may stop here and go to the list. The document also says that a river carries water from the hills to the sea. Beside this, a river carries water from the hills to the sea.

## Conclusion

Taken as a whole, the material supports one conclusion: a river carries water from the hills to the sea.','rivers.fpf.1.m1.ijn.md','default','done',1,NULL,NULL,1,'2025-11-23 12:51:04.242045',NULL,NULL,'2025-11-23 12:51:04.242045','2025-11-23 12:51:04.686104','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,NULL);
INSERT INTO "artifacts" VALUES('01M847BFXMEFZMXA6S0AER8X9C','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','fpf',2,1,2,'alpha','m2','[]','# Rivers

What follows gathers the essentials of Rivers. It starts from the facts as given and then draws the consequences one by one.

## Background

Looked at from outside, the first point is that a river carries water from the hills to the sea. The order in which they are given is deliberate. According to the source, a river carries water from the hills to the sea. The figures are those of the source and were not rounded. Beside this, a river carries water from the hills to the sea. The same passage adds that a river carries water from the hills to the sea. More precisely, a river carries water from the hills to the sea.

## What the source says

Read more closely, it turns out that a river carries water from the hills to the sea. None of them stands alone. It is recorded that a river carries water from the hills to the sea. That is less obvious than it sounds. Equally, a river carries water from the hills to the sea. Beside this, a river carries water from the hills to the sea. It is recorded that a river carries water from the hills to the sea. Equally, a river carries water from the hills to the sea. The order in which they are given is deliberate. Readers in a hurry may stop here and go to the list. Readers in a hurry may stop here and go to the list. Equally, a river carries water from the hills to the sea. According to the source, a river carries water from the hills to the sea. Beside this, a river carries water from the hills to the sea. Equally, a river carries water from the hills to the sea.

## Main points

- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.

## Consequences

For practical purposes this means that a river carries water from the hills to the sea. One point still to be settled is how far this holds elsewhere. The order in which they are given is deliberate. According to the source, a river carries water from the hills to the sea. Beside this, a river carries water from the hills to the sea. The order in which they are given is deliberate. The figures are those of the source and were not rounded. This has been so for some time. More precisely, a river carries water from the hills to the sea.

## Outcome

On balance, the material supports one conclusion: a river carries water from the hills to the sea.','rivers.fpf.2.m2.t3l.md','default','done',1,NULL,NULL,1,'2025-11-23 12:51:04.242045',NULL,NULL,'2025-11-23 12:51:04.242045','2025-11-23 12:51:04.686624','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,NULL);
INSERT INTO "artifacts" VALUES('01M847BH1SB5W3Y79QEV9E568M','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','combine',1,1,1,'alpha','m1','["01M847BFXMEFZMXA6S0AER8X9B", "01M847BFXMEFZMXA6S0AER8X9C"]','# Rivers

The text below gathers the essentials of Rivers. It begins with the facts as given and then draws the consequences one by one.

## Context

Seen from the outside, the first point is that a river carries water from the hills to the sea. Equally, a river carries water from the hills to the sea. Equally, a river carries water from the hills to the sea. It is recorded that a river carries water from the hills to the sea. More precisely, a river carries water from the hills to the sea. It is recorded that a river carries water from the hills to the sea. The same passage adds that a river carries water from the hills to the sea. The source notes that a river carries water from the hills to the sea. It is worth repeating that a river carries water from the hills to the sea.

## What the source says

A closer reading shows that a river carries water from the hills to the sea. More precisely, a river carries water from the hills to the sea. According to the source, a river carries water from the hills to the sea. Equally, a river carries water from the hills to the sea. Beside this, a river carries water from the hills to the sea. Where the source is silent, so is this text. The same passage adds that a river carries water from the hills to the sea. Equally, a river carries water from the hills to the sea. More precisely, a river carries water from the hills to the sea. Each of these points can be checked against the original. Equally, a river carries water from the hills to the sea. The document also says that a river carries water from the hills to the sea. More precisely, a river carries water from the hills to the sea. None of them stands alone. The order in which they are given is deliberate. Beside this, a river carries water from the hills to the sea. The same passage adds that a river carries water from the hills to the sea.

## Main points

- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.

## Next steps

For practical purposes this means that a river carries water from the hills to the sea. One point still to be settled is how far this holds elsewhere. According to the source, a river carries water from the hills to the sea. Readers in a hurry may stop here and go to the list. The same passage adds that a river carries water from the hills to the sea. The order in which they are given is deliberate. Equally, a river carries water from the hills to the sea. Equally, a river carries water from the hills to the sea. The figures are those of the source and were not rounded. The document also says that a river carries water from the hills to the sea.

## Outcome

Considered together, the material supports one conclusion: a river carries water from the hills to the sea.','rivers.combine.1.m1.9nf.md','default','done',1,NULL,NULL,1,'2025-11-23 12:51:05.383881',NULL,NULL,'2025-11-23 12:51:05.383881','2025-11-23 12:51:05.724769','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,NULL);
INSERT INTO "artifacts" VALUES('01M847BH25RVAHV79GTRKPJ829','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','combine',1,1,1,'alpha','m2','["01M847BFXJHEKFNMYK0ZSXABV2", "01M847BFXJHEKFNMYK0ZSXABV1"]','# Wind

What follows gathers the essentials of Wind. It opens with the given facts and then draws the consequences one by one.

## The situation

Looked at from outside, the first point is that Warm air rises, and cold air takes its place. More precisely, Warm air rises, and cold air takes its place. The order in which they are given is deliberate. The same passage adds that Warm air rises, and cold air takes its place. The same passage adds that Warm air rises, and cold air takes its place. None of them stands alone. It is worth repeating that Warm air rises, and cold air takes its place. That is less obvious than it sounds. The order in which they are given is deliberate. The figures are those of the source and were not rounded.

## In detail

A closer reading shows that Warm air rises, and cold air takes its place. Equally, Warm air rises, and cold air takes its place. Beside this, Warm air rises, and cold air takes its place. Beside this, Warm air rises, and cold air takes its place. The figures are those of the source and were not rounded. Where the source is silent, so is this text. It is recorded that Warm air rises, and cold air takes its place. Equally, Warm air rises, and cold air takes its place. It is recorded that Warm air rises, and cold air takes its place. It is worth repeating that Warm air rises, and cold air takes its place. It is worth repeating that Warm air rises, and cold air takes its place. That is less obvious than it sounds. It is recorded that Warm air rises, and cold air takes its place. It is worth repeating that Warm air rises, and cold air takes its place. More precisely, Warm air rises, and cold air takes its place. The order in which they are given is deliberate. The figures are those of the source and were not rounded. More precisely, Warm air rises, and cold air takes its place.

## Points to keep

- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.

## In practice

For day-to-day work this means that Warm air rises, and cold air takes its place. It is still to be settled how far this holds elsewhere. That is less obvious than it sounds. The source notes that Warm air rises, and cold air takes its place. The same passage adds that Warm air rises, and cold air takes its place. More precisely, Warm air rises, and cold air takes its place. Beside this, Warm air rises, and cold air takes its place. That is less obvious than it sounds. According to the source, Warm air rises, and cold air takes its place. It is worth repeating that Warm air rises, and cold air takes its place. It is worth repeating that Warm air rises, and cold air takes its place.

## Summary

Considered together, the material supports one conclusion: Warm air rises, and cold air takes its place.','wind.combine.1.m2.rxl.md','default','done',1,NULL,NULL,1,'2025-11-23 12:51:05.404607',NULL,NULL,'2025-11-23 12:51:05.404607','2025-11-23 12:51:05.742643','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,NULL);
INSERT INTO "artifacts" VALUES('01M847BKZ47R8BNM95JH62RE52','01M847BKED08AS1GCD0AZT33RF','01M847BKF3HW20GJ1E5DAZC3WM','fpf',1,1,1,'alpha','m1','[]','# Snow

What follows gathers the essentials of Snow. It begins with the facts as given and then draws the consequences one by one.

## Where things stand

From some distance, the first point is that Snow falls where the air is colder than ice melts. According to the source, Snow falls where the air is colder than ice melts. Here Snow falls where the air is colder than ice melts. Equally, Snow falls where the air is colder than ice melts. It is recorded that Snow falls where the air is colder than ice melts. Equally, Snow falls where the air is colder than ice melts.

## Details

Read more closely, it turns out that Snow falls where the air is colder than ice melts. The same passage adds that Snow falls where the air is colder than ice melts. It is worth repeating that Snow falls where the air is colder than ice melts. The source notes that Snow falls where the air is colder than ice melts. It is recorded that Snow falls where the air is colder than ice melts. It is recorded that Snow falls where the air is colder than ice melts. The source notes that Snow falls where the air is colder than ice melts. According to the source, Snow falls where the air is colder than ice melts. The same passage adds that Snow falls where the air is colder than ice melts.

## In short

- Snow falls where the air is colder than ice melts.
- Snow falls where the air is colder than ice melts.
- Snow falls where the air is colder than ice melts.
- Snow falls where the air is colder than ice melts.

## In practice

In everyday practice this means that Snow falls where the air is colder than ice melts. Yet to be settled is how far this holds elsewhere. It is worth repeating that Snow falls where the air is colder than ice melts. None of them stands alone. The document also says that Snow falls where the air is colder than ice melts. The document also says that Snow falls where the air is colder than ice melts. Equally, Snow falls where the air is colder than ice melts.

## Outcome

Considered together, the material supports one conclusion: Snow falls where the air is colder than ice melts.','snow.fpf.1.m1.82r.md','default','done',1,NULL,NULL,1,'2025-11-23 12:51:08.387249',NULL,NULL,'2025-11-23 12:51:08.387249','2025-11-23 12:51:08.744410','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,NULL);
INSERT INTO "artifacts" VALUES('01M847BKZ5SNTYS9NYA8W6K2TJ','01M847BKED08AS1GCD0AZT33RF','01M847BKF3HW20GJ1E5DAZC3WM','fpf',2,1,2,'alpha','m2','[]','# Snow

The text below gathers the essentials of Snow. It begins with the facts as given and then draws the consequences one by one.

## The situation

From some distance, the first point is that Snow falls where the air is colder than ice melts. Each of these points can be checked against the original. Equally, Snow falls where the air is colder than ice melts. The order in which they are given is deliberate. The same passage adds that Snow falls where the air is colder than ice melts. According to the source, Snow falls where the air is colder than ice melts. None of them stands alone. None of them stands alone. The source notes that Snow falls where the air is colder than ice melts. It is worth repeating that Snow falls where the air is colder than ice melts. It is worth repeating that Snow falls where the air is colder than ice melts.

## A closer look

A more careful reading reveals that Snow falls where the air is colder than ice melts. None of them stands alone. Beside this, Snow falls where the air is colder than ice melts. Here Snow falls where the air is colder than ice melts. According to the source, Snow falls where the air is colder than ice melts. According to the source, Snow falls where the air is colder than ice melts. The order in which they are given is deliberate. Here Snow falls where the air is colder than ice melts. Equally, Snow falls where the air is colder than ice melts. The same passage adds that Snow falls where the air is colder than ice melts. The source notes that Snow falls where the air is colder than ice melts. Here Snow falls where the air is colder than ice melts. Here Snow falls where the air is colder than ice melts. Readers in a hurry may stop here and go to the list. None of them stands alone. Where the source is silent, so is this text. Where the source is silent, so is this text. The same passage adds that Snow falls where the air is colder than ice melts. None of them stands alone. According to the source, Snow falls where the air is colder than ice melts. The order in which they are given is deliberate.

## In short

- Snow falls where the air is colder than ice melts.
- Snow falls where the air is colder than ice melts.
- Snow falls where the air is colder than ice melts.
- Snow falls where the air is colder than ice melts.

## Next steps

For day-to-day work this means that Snow falls where the air is colder than ice melts. One point still to be settled is how far this holds elsewhere. The figures are those of the source and were not rounded. More precisely, Snow falls where the air is colder than ice melts. Equally, Snow falls where the air is colder than ice melts. Equally, Snow falls where the air is colder than ice melts. The source notes that Snow falls where the air is colder than ice melts. According to the source, Snow falls where the air is colder than ice melts. The document also says that Snow falls where the air is colder than ice melts. It is recorded that Snow falls where the air is colder than ice melts. Beside this, Snow falls where the air is colder than ice melts.

## Outcome

Considered together, the material supports one conclusion: Snow falls where the air is colder than ice melts.','snow.fpf.2.m2.dfx.md','default','done',1,NULL,NULL,1,'2025-11-23 12:51:08.387249',NULL,NULL,'2025-11-23 12:51:08.387249','2025-11-23 12:51:08.742681','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,NULL);
INSERT INTO "artifacts" VALUES('01M847BN1AAD1GWR0C0MT9G5HY','01M847BKED08AS1GCD0AZT33RF','01M847BKF3HW20GJ1E5DAZC3WM','combine',1,1,1,'alpha','m2','["01M847BKZ5SNTYS9NYA8W6K2TJ", "01M847BKZ47R8BNM95JH62RE52"]',NULL,NULL,'default','claimed',1,'2025-11-23 12:51:39.508918','laptop:30426:01M847BKMRPNE1PYSZVMER0JQJ',1,'2025-11-23 12:51:09.459573',NULL,NULL,'2025-11-23 12:51:09.459573',NULL,NULL,NULL,0,0,NULL);
CREATE TABLE budgets (
	run_id VARCHAR(32) NOT NULL, 
	taken_usd FLOAT NOT NULL, 
	closed TEXT, 
	closed_usd FLOAT, 
	tenant_id VARCHAR(32) NOT NULL, 
	PRIMARY KEY (run_id), 
	FOREIGN KEY(run_id) REFERENCES runs (run_id)
);
CREATE TABLE calls (
	call_id VARCHAR(32) NOT NULL, 
	run_id VARCHAR(32) NOT NULL, 
	document_id VARCHAR(32) NOT NULL, 
	unit_id VARCHAR(32) NOT NULL, 
	unit_kind VARCHAR(16) NOT NULL, 
	stage VARCHAR(16) NOT NULL, 
	attempt INTEGER NOT NULL, 
	provider VARCHAR(100) NOT NULL, 
	model VARCHAR(200) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	iteration INTEGER NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	cached BOOLEAN NOT NULL, 
	reusable BOOLEAN NOT NULL, 
	status INTEGER, 
	finish_reason VARCHAR(16), 
	input_tokens INTEGER, 
	output_tokens INTEGER, 
	cached_tokens INTEGER, 
	cache_write_tokens INTEGER, 
	reasoning_tokens INTEGER, 
	cost_usd FLOAT, 
	price VARCHAR(300), 
	response_id VARCHAR(200), 
	request_id VARCHAR(200), 
	wait_s FLOAT NOT NULL, 
	started_at DATETIME NOT NULL, 
	ended_at DATETIME, 
	error_kind VARCHAR(64), 
	error TEXT, 
	answer BLOB, 
	owner VARCHAR(128) NOT NULL, 
	tenant_id VARCHAR(32) NOT NULL, searches INTEGER, grounding VARCHAR(16), reasoning VARCHAR(16), queries JSON, sources JSON, summary TEXT, so_far JSON, reserved_usd FLOAT, misses INTEGER DEFAULT '0' NOT NULL, 
	PRIMARY KEY (call_id), 
	FOREIGN KEY(document_id) REFERENCES documents (document_id), 
	FOREIGN KEY(run_id) REFERENCES runs (run_id)
);
INSERT INTO "calls" VALUES('01M847BFYXZ23VNSMB4BF8VZPJ','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','01M847BFXMEFZMXA6S0AER8X9B','artifact','main',1,'alpha','m1','a2176f0607a0a453727fe328fafb4efdb838d38bb8d3de27840104aaf869734e',1,'done',0,1,200,'stop',115,478,0,NULL,0,0.002027,'config','chatcmpl-5202b6f62d74123970d669ac','req_8fa4f55f4bb910753e398149',0.0,'2025-11-23 12:51:04.285468','2025-11-23 12:51:04.685877',NULL,NULL,X'789CDD55B18EDB300CDDF51504B25EF301DD724581066897C301454746666C218A9813E9BAFEFB92F2F57AABDD4C5D6C88D07BA49E9EC81D3CA59F542584E78140E997C289324FD0A30E1607FB028950D1845980CFAF803D1C7D6B9F8AC09474681BCF185500057ADB53004BE7E1025DC569A18A5C845E462A918CAC109C66FFED43D8EDE011E3A5AF3C962E84AFCC17EA0015CE95AFC0A34AEAE8614993AA28DC381585E4BCB60BA17A5D10B1D664DC13AAAD1AD62143CA56BD725B08E11E0E3172ED52E9DFA23CD6681956331D5B15959C8FBA8DE57C37B5E95D1D4E29299BEE0F16598EE91FBBA13D3C928BD122EBEB6D521FED524831E5100E10338B412A61D343069EB6AAFA8DED1437D32209E5798398CF7F1528ACB4B58ECF180737AB058416AB88A18B5916E240B179AB4773AF3610D76456C6FC8FDADED155AB0C71BFB4AE7FC771BC5A22B017CF20386FBC85E6B483E3FA8CF6E243F80087B51CFF13C4F5F8F4AE038660EF908C62EE70B66763ED33C5C57B70252C5BDDFF83D4D7275FAA66F3BA11DAABB6065D17F6817327405968729FEDE18BBB6D75A2276B193E2592357B18C65A67B8DA4944F906CDBF3E027AFE83C949F4BE16BB432BB40B897994C4C586205E7C6ED90C83C9247A9D3757A7B1F10732DE6E5C75995CF10DF7717DE2DFCFEE9F9D','laptop:30381:01M847BFQ04JHGV0FJAS1F2A11','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BFZ185VDPZ9SV07D5Q4Y','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','01M847BFXJHEKFNMYK0ZSXABV1','artifact','main',1,'alpha','m1','fb30ad241d87a5cf029a99423f89e8bb8bbdb7f41095564d29642181be391959',1,'done',0,1,200,'stop',114,741,0,NULL,0,0.003078,'config','chatcmpl-cc1b7f2bce3e8426433ac02a','req_3671a87e273a52b58e77a4a5',0.0,'2025-11-23 12:51:04.289455','2025-11-23 12:51:04.681633',NULL,NULL,X'789CCD564B8EDB300CDDFB1404B24D7380EE668A019A4581625034E89291689B882C7A2439866F5F4A9E7EB6560DA41B1B96C9A7C73F0F70616F9BE6D26382569C93394287A9A710419F4031924F8C2E82B445F804E704096FB40A747C270F2D9A14A1E51013A0B7F98F071B705E858CF8486F1379A35AE209AE4B7E9D9AE670806734B72EC894797C679AC9421B640004CB31A1EA1C0BC88A3E0AFB049C7195F205830A7280C091E2B1DC6DC4D972B6926425363A3474826F8A12650A86C04BA26A8C96BB29E83106520889947D93FE8067849942B9058A6564B32616E24E7D0A72BDB34C858157F8ACE96D7CA78803C1883162A758D656F17C25B43988ECD591FD14C202032E10938CD0676E59BD134852983B75F5093EE71FDBEE79799BD0B9E5B851ED5C5C11C84850E7540773074F951C3C6BB65242764DF30483A8178C06B79D9C5244CBBED3F79D721554305D6D9D25A45E6146C294011F687201B262A6416B1BD42A51D8A50AE99922DB5C051CB7A6C07E242AD276B798EC1ADCDAC6A2725A462117FBDCB3E9B3CE5250D6F6AC0C2D39BE52C0B4ABE79F4C2EE062B1FC45F471A9B0478BDFA937FD1B8BD296BEE66117B36F6F4463D37CD888F1BFC9BFB7DA31E8BAC0869A463FB4AF86C5EA68FA755A9A090C84BE2A7A3F2865875D35029492D3002A5A2FB3EE286185EE553702B948739E8495B3F24B9E12A3668992DA3EFF5E50AB742D6EADF2718DB3D15D40799B9ECC4D796387EC75E549A5BEB9638F6EAFEC7C58E3AD37BC5EB37E48958CFD24DEB829B278DD0E9C2B69E2DCBA940EDA5083AEC710A771D421B0AEB7E6B7C6C78DF7FD04CE9609D9','laptop:30381:01M847BFQ04JHGV0FJAS1F2A11','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BFZ4JHG725CREY44NKM8','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','01M847BFXMEFZMXA6S0AER8X9C','artifact','main',1,'alpha','m2','3ac57f2a9da3dbae4e91694127dd19b15fa5747aaf50cc4c94cb1e10f3016a17',1,'done',0,1,200,'stop',115,619,0,NULL,0,0.002591,'config','chatcmpl-87c396f06b64f2ba56bdba72','req_426425cbf354eede02ed8b9c',0.0,'2025-11-23 12:51:04.292521','2025-11-23 12:51:04.686445',NULL,NULL,X'789CDD564D6FDB300CBDFB5710E875CB0FD8AD1D3660C0DA0045819D19998985CAA22B4A35F2EFF7E8645DAF71030CD8258E2DEAF1F19B37F4185FA558D7FD1AB8D25E53D2D9E8C075C057C22F8999E41A3919E9FE2CBEA11F95AC72A946FBA2E322B8E78057C66DC864E2DCFBE74C7DE1F90415349BBC34C94100968576477F6CBAEEE686EE383C1F8AB6DC77DD4FD567E9C91939BAB66AB1974F2735B158A54963AE141D17524CC57951E05222B067AE787B6336C404F655971713DED013FE68E9211433CD430C839F1D898B9CE903BA9714775280B5A1DB10201FF3E10D465B09A0B44AF53E1E5A81B0ABAB839AB86BFFA22EBE9B0587592B2D3E917E4377E25E805CB4957A8D47A189CDF800257DBFD67DF70A6E5391104DD2F172324BC0978C7B67B4F11179F828DCD3E8F821E9093D42AC956C9E072B093F78B69D7C3C7AE26698CEC973CF3319B1862D9E0FFDEA7CE20526A15A4877AF51DBE2DBECE4CD03889AF9F6D238AD71D707237F150BD793BFB8D63C05BCFB409C6968A51C69E423C2A6130D5E155E1E07FDA32445AB2B2FAD37EA7AFDE063B15D6DC15282F70C772DAD1495F7996E2FC5F89FAEB83FBEBE1B505DF75D0B9A1CA65A0C9C686A654243B22552340AE7B5DD738B5E749A5F5671E8673B3FAA35A13C013EE88C695A4E9A064D6856924C66CFE37F3ABB3E3E812E22BE7E543E2D9EC32EB213C09A62B3297860FAD538CA9506D8B6D500C8AEDB66DA71E21CCE2BCAE8B7B13191B569525F927CFC60FB09A959D4FCE5727DBF01912067B5','laptop:30381:01M847BFQ04JHGV0FJAS1F2A11','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BFZGKPXYDK8QAEN3SJV2','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','01M847BFXJHEKFNMYK0ZSXABV2','artifact','main',1,'alpha','m2','a2a92b0eecc1fe72403bf406b251cd6c7d417f9235b3351b640a9490922107d3',1,'done',0,1,200,'stop',114,741,0,NULL,0,0.003078,'config','chatcmpl-58d80452bc0fa12b7bbedff8','req_6254bb5c80c89e26fea612da',0.0,'2025-11-23 12:51:04.304600','2025-11-23 12:51:04.685089',NULL,NULL,X'789CCD564D6FDB300CBDFB5710E835ED0FD8AD1B3A6CC0BE0E05725624C616228BA928D7CBBFDFA3DC763B2E6EB0F5622331C58FA7C7475ED136E6D075DBC155DA4B4A322BF5AE0E5C94F02456E55CA34B4AB26FC637F4B95275075E0CFAF8C899F6CE57A57D2C5AC9E5605F3285E2E6C5C84B567E98387B9C92CCB43BD9EBA6EBAEAEE81E061AEBE46A94DC755F440E1CC8F22932924C5563E04DF3B304384ACC95A2B986D5D695915C2C54A2B26E5A782F29B4FF963C23723B26E7B9E58E8385BD94C0618D87BB87C9A574DA9C79ECDE22217402A224BBC728532B20C38854A61CF4668142A6E299B2545E55E1EAFC10DA8D4C47A7EA7A2617C2AAF8E628889F46F086C01B81DBD36A4FAF45E3AB149484FB86F1D9A0347ADE924FA25C2881985DF7F2B3B00B31F7A483CCEBCBBB0CE2E0D5E094768CAE03E07B2978C1738D23BEDF7A63BBE55AA5B5D102EAB90CB9909B8B957DA17C5EC510FA666A066544FC91B4C258417AD3B64BE5F78991DF7947DEB349266246FD6FB773E7FCF0048CF222D94A1E72B7C33818D8378DEF5DCC107403474AEC6376E959A267297540931D1973C130FCC7BD4FDBC180FF7D6F9694C60455DB588FB5F1630FFE59D78A6ED3971F0B34E0C881F9D875D767FA786BF656D3873FE67DD77D841C0577BAAE728D97DDEC61C16E64975791EB7B7EA2145A2EA664E08156CAB526D0CAD45066EC24650933C08F1227E5D9EEF4ED29D95FEF06FBD84F05675D6326C6D053873D53D4C2CC465BCC4B2A7690C36B5AF16DCDF2FB965BC0EC8D99E621A22AA47B6A682C6B28300C9CE28E8BABAFD2C16716FB3469DB4A8DD1F0556C67949E6D415E56D211910AF663D2E97884662DFBAD7F39FAEECCC0BF00258B0A71','laptop:30381:01M847BFQ04JHGV0FJAS1F2A11','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BGC5HWY4J9BFDSRCRW0S','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','01M847BGBA0TN2W0Y4YPCZMPJ0','evaluation','main',1,'alpha','j1','a25f0bfaf7ec260f6e198e43ad98fce4833de05c73002c0f36e91a942f0a293c',1,'done',0,1,200,'stop',1490,102,0,NULL,0,0.001898,'config','chatcmpl-b8bf84a221ca7f13db85ae58','req_c64eb3e48b3c3affcc0a1771',0.0,'2025-11-23 12:51:04.709131','2025-11-23 12:51:05.021975',NULL,NULL,X'789C95CF4D0AC3400805E0AB88EBD0651773815EA017106B5B61A2619C868690BB7716FD0B6493A5BCE787CE48CC8F423C619AB108851B263CB95FC00D3E616A439E207ACA190657AB0154047C103B6087C15E04D371E990BD1FB2543189D834FF0B7BDC4C45EBF699EF6C875624CB48C6B2E97DD31DE2D54B4FB5AADD56E4F92E50E55941A37D6EA31AB70AA88136EBB7B4D2961771588E24','laptop:30381:01M847BFQ04JHGV0FJAS1F2A11','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BGCD12Z0YZR26YG6TDDY','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','01M847BGBDRSF0M57JA0NJMEK9','evaluation','main',1,'alpha','j1','eefae816623ef5252affa1d6d2c6b192794255b8d5c8f6eb41ae3dee563e844a',1,'done',0,1,200,'stop',1490,101,0,NULL,0,0.001894,'config','chatcmpl-03f29803517091b497c471f8','req_87a11d79c6d77c0f030fe8d9',0.0,'2025-11-23 12:51:04.717270','2025-11-23 12:51:05.044255',NULL,NULL,X'789C958E410AC2400C45AF12B216B7C25CC00B788110A30E4C939289C5527A772BA8C5D2855D26FFFFC71B9098EF4EDC631AD085AA29263C9A9DC1143E619A8ED2436DA814682D6B542017B056748F3BAC6C2E980EE30ED99AB648884AAD3FCCD34D20E411902BB0699795B35E212BE4787DE6D99258C873AC0BBEB30D7E2E453A52960D72DFCD8275316F28626AAECACDF1DF7EE31331278C1E','laptop:30381:01M847BFQ04JHGV0FJAS1F2A11','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BGCFBAFPVQ9QW6M641VW','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','01M847BGBENHE3TEP18GFEYR60','evaluation','main',1,'alpha','j1','da64325f3fd98d27979e0912bd711f3b58428b9a54d07c9365e3fd8b3136edef',1,'done',0,1,200,'stop',1229,98,0,NULL,0,0.001621,'config','chatcmpl-7eb6aa80eb56f7c3ac04a0ba','req_1195c8c6c15176850db80933',0.0,'2025-11-23 12:51:04.719937','2025-11-23 12:51:05.038079',NULL,NULL,X'789C95904D0AC2400C46AF12B22E6E95B98017F002438C3A3093944C2C96D2BBDB823F6D775D86E43DBE7C0346A2A745EA310C681CAB0A06BC3C189C5F0EA902A9744928C91D9240F20A5FE4800D5652630CC7B141D2D2667616AE75876D892D8CA7D998A325DF13ED436C3CC699BB28C43B4C3F66F3E54DAD44F7E972253BAB5E4105FEEB308DB9875A62CED06A92B93963D09665956F7C03D070880B','laptop:30381:01M847BFQ04JHGV0FJAS1F2A11','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BGCHQC4X8VMX5T0BKXGE','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','01M847BGBENHE3TEP18GFEYR61','evaluation','main',1,'alpha','j1','4b62da657dfc5f967cce1573bb8e6375f1af98026b1388ea7d0073bb5c0408bc',1,'done',0,1,200,'stop',1369,98,0,NULL,0,0.001761,'config','chatcmpl-31383905ca6a7d3f79b04747','req_29eb3a51a68bd5ba639e3d71',0.0,'2025-11-23 12:51:04.721167','2025-11-23 12:51:05.035649',NULL,NULL,X'789C958E4D0AC2400C46AF12B22E2E15E6025EC00B0C31EAC04C5232B1584AEF6E0BFEB4DD7517F8F21E6FC048F4B4483D86018D6355C180970783F3CB215520952E0925B94312485EE18B1CB0C14A6A8CE13836485ADACCCEC2B5EEB02DB185F1341B73B4E4EBB4B3EA1554E0B385E9CE3DD41273865693CC7DC6A02DCBA6CF387317857847DC8FD9B86E6A25BA4F9F3B647F68651BDFC1B88804','laptop:30381:01M847BFQ04JHGV0FJAS1F2A11','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BGQDABTTGRZZBX07HFY9','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','01M847BGPWGZA04P3N6S6NRRW1','comparison','main',1,'alpha','j1','6c1106feb97ee113c4ad5d17de8f3b248fa163781b75ee1740832762873e2e1d',1,'done',0,1,200,'stop',1692,27,0,NULL,0,0.0018,'config','chatcmpl-48df742993a9113227aefd44','req_905a384ff16806992fae11e4',0.0,'2025-11-23 12:51:05.069315','2025-11-23 12:51:05.371966',NULL,NULL,X'789C0DCC4B0AC3300C45D1AD3C342EA110E820C3ACA11B08CE732B7025909D4F29D97B3DBC83737F125CAA9BDA4B2679F26C98917C6754B437517D8B447C3C88BC95F2C5622BB4A22B65A039B297E2C7203739D48CD13F738FE49675A525CA741FC6C7F507F43C2479','laptop:30381:01M847BFQ04JHGV0FJAS1F2A11','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BGQG810CGKQGPQF2C3AY','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','01M847BGPWGZA04P3N6S6NRRW0','comparison','main',1,'alpha','j1','b413c07005014d17131035cc884204864886089161a63d8dfbd3382ab40234b0',1,'done',0,1,200,'stop',1692,27,0,NULL,0,0.0018,'config','chatcmpl-9e5d72a53f6e61af2ab698b0','req_3bc1a322df0a5ea6bcbd1693',0.0,'2025-11-23 12:51:05.072672','2025-11-23 12:51:05.376510',NULL,NULL,X'789C0DCC410AC2400C46E1AB84ACA5B812E9AE77F00271F257874A22496004F1EECEF2F1C1FB7240D2ADDB8357BEE153B4D101BC93DACB1341E5349E52342449F2809298524FBAA36ABA8722A00B9F787433C4FC6C339ADBDE15D6C0EB79B95C7F7FE29E243F','laptop:30381:01M847BFQ04JHGV0FJAS1F2A11','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BGQHTE07YSRPEGC66XP2','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','01M847BGQ5V953BJWGGCVF5M5T','comparison','main',1,'alpha','j1','484c6e363ae2455111b21934a7b8bea9500f6c9a8eb273383af7159bfd6088dd',1,'done',0,1,200,'stop',2075,27,0,NULL,0,0.002183,'config','chatcmpl-26e7e873278f81e9f138ba39','req_e1e5e3653716e137e5453ed5',0.0,'2025-11-23 12:51:05.073603','2025-11-23 12:51:05.382375',NULL,NULL,X'789C0DCC410AC2400C46E1AB84ACA574E5A2BBDEC10BC4C96F1D2A89248111C4BB3BCBC707EFCB0149B76E076F7CC3A768A7137827B5972782CA693CA5684892E4092531A59E7447D5740F454017BEF0E86688F9D96734B7475758036FEBB25E7F7FE2882437','laptop:30381:01M847BFQ04JHGV0FJAS1F2A11','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BGQJQGSD4B6FA60AAE0Q','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','01M847BGQ5V953BJWGGCVF5M5V','comparison','main',1,'alpha','j1','47f4b489b3795661922fbe5fc77d48589e426e0761ffb5ba562ddd72127bc414',1,'done',0,1,200,'stop',2075,27,0,NULL,0,0.002183,'config','chatcmpl-a75c00b3b5ec66dc8b7e9953','req_9f8659631b36cf6b12228e79',0.0,'2025-11-23 12:51:05.074923','2025-11-23 12:51:05.381707',NULL,NULL,X'789C0DCC310E83301044D1AB8CB6468836949C211740664C567276A5B509A028778FCB5FBCFF95E05ADDD47699E5C9AB6141F20FA3A2BD88EA4724E2ED41E4A3941BAB6DD08AAE9481E6C85E8A9FA30C72AA19A37F961EC92DEB464B94791AA7C7EF0FF4392479','laptop:30381:01M847BFQ04JHGV0FJAS1F2A11','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BH2CKTFV8WYQ69ED2CQF','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','01M847BH1SB5W3Y79QEV9E568M','artifact','main',1,'alpha','m1','5041bf07366adf6aaec8c5e79f908a96fa8e77345613d1d7108a740d2b3df5da',1,'done',0,1,200,'stop',1637,707,0,NULL,0,0.004465,'config','chatcmpl-67c3f8f7b604527435c5a4aa','req_f345fd7a7000babb4e492924',0.0,'2025-11-23 12:51:05.420766','2025-11-23 12:51:05.724346',NULL,NULL,X'789CC556C16EDB300CBDFB2B08F49AE50376CB860EE8A12DD015E89991195B982CB9A23C2F7FBF4739DD7A8D13B497049645F2997C7CE40D3DF9DF92B5699E7BA1227F0AED25A4993A2E3DCE09BF24AA128BE7A0940E27832DDDD9D5CE47A5D997BE5E3CB02B4AACD4E14E248EAD1D476A33CF8B2B97A2CAEB24D1099C45A1FDD1FEB64D737343DF5334044DF3536074C869A836692AEA5BD92C217CD64263F2B190379F5C88291B26729CB387DF990B9EFED9F73E007949F54185B774FB3A7108C7CD475ADE55BC595CCAADB42B81DFA72C34C28957F93C144615E5014858953B216EDBB5A5A8BED2949D504C45D6BA59BE6B4E194CCC320A171FBB75BE2A155FCCB2FCC7A67C448FECC885A4B0CEC2AD05D03ECD6B215F5CCB9DB32AD6EF4CEFB07E28ABBF89B5269EBDAEB07E81C4C8FB34A386EA03C4668393A5BFED07A2705DD6ADFFE08BAB76CBAE3719C581CA22640AEB083125D78BFB85B6E48EA1AB0B0153F610590E9780B6D4B5C94D03324B90F154F9FC59BC7D30DD5F323090164C09CC8C6053A0023565CAE423CDBD7775AE1C8911729929A0432BC1EF2523CCA5FCBB22A5AA6ADCA36CA79236CD17DA9DEBE3634C0CE9834D7A2D3202E88F94514F8C6EEF38D038E5111A776ABD4138AE25CA633CF11B81F0D2DEEDED5529011C877388275686BC44EA5340EE25A8CCA60AD794B727A8B5ED32280E533FE57CA4818F409546AA0A648B4A97DE6C82D72BCBCDD9B4FE8C05E5B96E57DD947199AB2C8306A73E7DD3674BD46C19C3ACA69CA68825E2BAF252D9F938159706691A6C84D6DFD95695D489ADA4CB1A38981B6CA4A4D33862EA2FCB24B64B1726F5297E3D3FF05F8495E8B7','laptop:30381:01M847BFQ04JHGV0FJAS1F2A11','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BH2TX5YNM4V8W8H7X2BC','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','01M847BH25RVAHV79GTRKPJ829','artifact','main',1,'alpha','m2','cc15e99bad933bc111f0e91963e80869a847c558453f95f8bb48ce06f19aab39',1,'done',0,1,200,'stop',2027,709,0,NULL,0,0.004863,'config','chatcmpl-f9ac369f4fc9a2046de61382','req_6bc5e773f97a7b971ccfe167',0.0,'2025-11-23 12:51:05.434053','2025-11-23 12:51:05.742339',NULL,NULL,X'789CCD56C16EDB300CBDEB2B08E49AE40376EB860D28B01503362067C6626C21B2E89272BDFCFD283919765C9C2EEDC502648AA4F81E9FB8825D48DEB95D87190E1C234F0A2DE68E44C1BE40AA9472C0A8C0876ABC85C70C3C50529842EEAA551B5E28C1019BAC80C997BD045E709A9D349C949E474A0D999B44B03F9565EBDC6A053FCD40431E31074ECE7D653E9287928E700F3C660D9ED6D5CF2188661838A40CA1B836AB1D4A0F18042428E9BA866F38FABA97F16811836535446C680BDF580806A1C68CE3697DE5E9922A8B27819060EA42536F7F02944B092C2B4F31EC49309F0F28F6161255B12540EF17E5FD6A8E9E4AF90D49CBBB07CD666C88C5024681D5D29F580C54A1810C90D42E4B16ABAB68E401DEBF041E6BAE569E0CCAA3C55C58CB436847B160C52877AC97AB14AFD250CD6B22FB9938839448E467963D1A1F296388CE3D4013EDA85D86D0972B6AC7D3A2627E7E1E315E4FA38F54286D0183DEF1E8E2FAC1AEA36AFFC7CC90D1104D17D6B6337762F9D0AF7C6191755801D7DFB1AAB7077EB506B86F27BDA38BBF81BC2EA3F44D895641F95E5E210383E1483438B7B9D2C7FFB63F8BDE20F62887869CFBC2021E4F9BCC1B5B0ADAC7B96F7BC2B448FE66DA680E31963AECADE69473340E9AA0DA3420B3FFCE1C2850549A8A905CF13E9C2134E4E86D5FCDDB787D9368FF43A91E9AD2FAB565F92FEA2F13D077247F95C33FC6BE473939F7C986482BA31489E396CA883A4F85BD6981D8840A3A0E83059D474C9B399B38AACD941FAE8CFA1BBE40E039','laptop:30381:01M847BFQ04JHGV0FJAS1F2A11','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BHC9HRPNZF70517M767V','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','01M847BHBWNK1W697XT8MXKXQY','evaluation','main',1,'alpha','j1','38b52b8a7c6469f6d04874601903acb3cd950e8456c94afcff5b0625b33f2ed7',1,'done',0,1,200,'stop',1458,98,0,NULL,0,0.00185,'config','chatcmpl-d07ede19143b908dcdf64c4f','req_b9eb73ad6fb49f1e65b74530',0.0,'2025-11-23 12:51:05.737990','2025-11-23 12:51:06.043663',NULL,NULL,X'789C95CE4D0AC2400C86E1AB84AC8B5B612EE005BCC010A306A64949C66229BDBB2DF8D7EEBA0DDFFB901133D1C3330D984674CE618A09CF7786CACF0A1240A6BD2889DE4014A4067C9203361864CE988E5383646D57B8B272C44A3B995DC014FE07693E9401A2CDA54067A28BEB0CD6B16EDD925DEA9E07DFC5C6712EDC6725DE217D9B8D75356F73ADF37207F68B56DAF402C7118808','laptop:30381:01M847BFQ04JHGV0FJAS1F2A11','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BHCCKQENX1ZD05BQAB85','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','01M847BHBWNK1W697XT8MXKXQZ','evaluation','main',1,'alpha','j1','38b52b8a7c6469f6d04874601903acb3cd950e8456c94afcff5b0625b33f2ed7',2,'done',0,1,200,'stop',1458,112,0,NULL,0,0.001906,'config','chatcmpl-cb138fb9214001ad926d2088','req_b3928f6b6cb10ac3e8ec3852',0.0,'2025-11-23 12:51:05.740178','2025-11-23 12:51:06.044762',NULL,NULL,X'789C95CEBB0AC3300C85E157119A43E7E2BD0F628492186CA948EA8D90776F86DE9614BCEAFC7C68C14C74B14C0F4C0B1A6757C184A73B71AD2C012AF02E1288C65C64021DE1C6659A038A432BEEDBF180033AA931A6E33A20693B570E1676DFA77FAB3EBE662BF1E7E957D0851A57BE6621DE673F49173CAAB51CB10DFBF2B7E9A0D7276A329EA8','laptop:30381:01M847BFQ04JHGV0FJAS1F2A11','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BHCX3NZHS7EBD0CJA2NB','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','01M847BHCEBB295FQG663GYG3G','evaluation','main',1,'alpha','j1','276d3cd8433378458a89e0fc946c6fc86d20dfe7371db3798b5da4058f493d2e',1,'done',0,1,200,'stop',1459,102,0,NULL,0,0.001867,'config','chatcmpl-94f12700fa51b29d4f7c81a6','req_79786b5b2e373b2b75ea5859',0.0,'2025-11-23 12:51:05.757448','2025-11-23 12:51:06.060076',NULL,NULL,X'789C95D04B0AC2400C80E1AB84AC8B5B612EE005BC40885107A64949C66229BDBB15F14917769B3FF9161991982F4E3C601AD185C21413EECF0255AE1572009BF65939EB09B242AE01CF930D36186C2E98B653836C6D57A48A4AC497B6333B80297C2EA479500688964A81CEB2DE5D17B04EF4D72DE4B90ECBE4A3ADD05C8AF4A42C8BDEABAE108FE62DD53A3F68917CE7BFCDE90689938E29','laptop:30381:01M847BFQ04JHGV0FJAS1F2A11','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BHCZG4R68V6QH72RAVCK','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','01M847BHCEBB295FQG663GYG3H','evaluation','main',1,'alpha','j1','276d3cd8433378458a89e0fc946c6fc86d20dfe7371db3798b5da4058f493d2e',2,'done',0,1,200,'stop',1459,99,0,NULL,0,0.001855,'config','chatcmpl-c36362537d201a7055268f31','req_b626299ca99e0267280943db',0.0,'2025-11-23 12:51:05.759574','2025-11-23 12:51:06.062298',NULL,NULL,X'789C958E410AC2400C45AF12B22E6E85B98017F00221461D982625138BA5F4EE56504B8B9B2E93FFFFE38D48CC0F271E308DE842D514139ECC2E600ADF30CD4719A0B6540A7496352A900B58277AC0062B9B0BA6E3D4205BDB150951A975C53CDF05429E01B9029BF65939EB0DB2428EF767996D89853CC77FC14FB6C3CFA5484FCAB243EEB7D9B0AEE62D45CCCD1DB065B4A24D2FE9D98A13','laptop:30381:01M847BFQ04JHGV0FJAS1F2A11','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BHQ1H9S3X6S0MFPNZCZ0','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','01M847BHPHSVW590BSC2G3NWE1','comparison','main',1,'alpha','j1','229648bdca9fcde97ae724dd9ace2ea69fd61557c66b127ce9e5b502f52fb797',1,'done',0,1,200,'stop',1780,25,0,NULL,0,0.00188,'config','chatcmpl-b2c84dec76ec365326dcaf1b','req_ebaf5b6bdfb8acd8b9ae6867',0.0,'2025-11-23 12:51:06.081994','2025-11-23 12:51:06.392471',NULL,NULL,X'789C0DCB310A80300C05D0AB84CC5274ED21BC43ADDF368329A40115F1EE767CC37BD9907A53D1C29157885718396E27E9B4C17D707B28D199AC88D2D5CC2B693AC7083CF125AAB0715D30989B1EB2433338CE615EBE1F969E2147','laptop:30381:01M847BFQ04JHGV0FJAS1F2A11','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BHQ4VNJG8EKZWTRK0SDH','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','01M847BHPHSVW590BSC2G3NWE3','comparison','main',1,'alpha','j1','51c416a05fd68670aeb12bec1fb2e1c924bb903541b65438c04208225861cf87',1,'done',0,1,200,'stop',1921,27,0,NULL,0,0.002029,'config','chatcmpl-eac20521580ecc10b161e753','req_6400ca5c469254c22143c9b8',0.0,'2025-11-23 12:51:06.084515','2025-11-23 12:51:06.394829',NULL,NULL,X'789C0DCC410AC2400C46E1AB84ACA5B811A4CB9EC10BC4C95F1D2A89248111C4BB3BCBC707EFCB0149B76E0F5EF9864FD14607F04E6A2F4F0495D3784AD19024C9034A624A3DE98EAAE91E8A802E7CE2D1CD10F3B3CD686E7B575803AFE7E572FDFD01E3082440','laptop:30381:01M847BFQ04JHGV0FJAS1F2A11','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BHQ74FF5JBTE3SV0YT79','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','01M847BHPHSVW590BSC2G3NWE2','comparison','main',1,'alpha','j1','e0964a6b36a93b6b80b2c71a76ece14f355a31958d79490a6fa4085a4d98f2a2',1,'done',0,1,200,'stop',1780,27,0,NULL,0,0.001888,'config','chatcmpl-50da7b3a9141cd550de483fe','req_304d1843b22bc63d334ed40f',0.0,'2025-11-23 12:51:06.087610','2025-11-23 12:51:06.396386',NULL,NULL,X'789C1D8C410A80300C04BFB2E42CA2170F1EFD49ADA9163481364541FCBBD5E3CE0C7B53629755A2AC34D2A4B6C12546C96EDEB9C15C0CC6976142CCB08D7168D5BE36A1ECD0F0333BB5A586CE28C2E9BBA9C3AB84B8B078A6B16BFBE179019D992350','laptop:30381:01M847BFQ04JHGV0FJAS1F2A11','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BHQERNTKZPRJMVRZ9HQS','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','01M847BHPHSVW590BSC2G3NWE4','comparison','main',1,'alpha','j1','38ad442a711654f5f466eedc54268f6342f41f07f3200e04f8c347d8a6e72cf8',1,'done',0,1,200,'stop',1921,27,0,NULL,0,0.002029,'config','chatcmpl-8e0906e5053379181091cef1','req_a0103cbc6b33579ca0f29ed8',0.0,'2025-11-23 12:51:06.094724','2025-11-23 12:51:06.397897',NULL,NULL,X'789C0DCC410AC2400C46E1AB84ACA5B812E9AE77F00271F257874A22496004F1EECEF2F1C1FB7240D2ADDB8357BEE153B4D101BC93DACB1341E5349E52342449F2809298524FBAA36ABA8722A00B9F787433C4FC6C339ADBDE15D6C0EB79B95C7F7FE29E243F','laptop:30381:01M847BFQ04JHGV0FJAS1F2A11','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BHQMRY28688VVK7YVCK9','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','01M847BHQB0JTRC9AW52DG20X0','comparison','main',1,'alpha','j1','fbf07456d15856cbc4b10913ed6d3a17381bac4fb431be0f49329bd2fc563d5a',1,'done',0,1,200,'stop',2044,25,0,NULL,0,0.002144,'config','chatcmpl-10acc14a8719ead0ca915b8d','req_a0784bb2ac219ef55880938b',0.0,'2025-11-23 12:51:06.100750','2025-11-23 12:51:06.402228',NULL,NULL,X'789C0DCB310A80300C05D0AB84CC52C4B187F00EB57EDB0CA6900654C4BBDBF10DEF6543EA4D450B475E215E61E4B89DA4D306F7C1EDA14467B2224A5733AFA4E91C23F0C497A8C2C675C1606E7AC80ECDE0388779F97E96A02148','laptop:30381:01M847BFQ04JHGV0FJAS1F2A11','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BHQSD4HYDY0R3ER5A3JE','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','01M847BHQB0JTRC9AW52DG20X1','comparison','main',1,'alpha','j1','bd0ddcb569804e6ad3f1b9a8defb1ee4b9c40fd626712759bc22efb25b115cd7',1,'done',0,1,200,'stop',2044,27,0,NULL,0,0.002152,'config','chatcmpl-4769b24f6cfe732d3098aab6','req_ec1d7a7b74a7781bf7f13352',0.0,'2025-11-23 12:51:06.105464','2025-11-23 12:51:06.412002',NULL,NULL,X'789C1D8C410A80300C04BFB2E42CE2558FFEA4D6D4163481364541FCBBD5E3CE0C7B53665754926C34D1AC16E132A316B7ECDC61A906E3CB30231558641CDAB46F4DA83B34FCCC4EEDA9A3338970FE6EDAF02A21AD2C9E691AFA617C5E9D9C2352','laptop:30381:01M847BFQ04JHGV0FJAS1F2A11','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BHQTR8GF1TC28MK8VSSF','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','01M847BHQB0JTRC9AW52DG20X2','comparison','main',1,'alpha','j1','c1461ddd0b3289f0dfc1e85637aa67e7a33765df808ef2aff302f303896b2be3',1,'done',0,1,200,'stop',2044,27,0,NULL,0,0.002152,'config','chatcmpl-b66f43ef72e7f340e21277ff','req_dd4d9618f5372bf5b3012e83',0.0,'2025-11-23 12:51:06.106672','2025-11-23 12:51:06.412967',NULL,NULL,X'789C1D8C410A80300C04BFB2E42C22E8C9A33FA935D58226D0A628887FB77ADC99616F4AECB24A9495469AD436B8C428D9CD3B37988BC1F8324C8819B6310EADDAD726941D1A7E66A7B6D4D01945387D37757895101716CF34766D3F3C2F9D9B2350','laptop:30381:01M847BFQ04JHGV0FJAS1F2A11','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BHQXB2NEXKSD0D8A8AZQ','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','01M847BHQB0JTRC9AW52DG20X3','comparison','main',1,'alpha','j1','50640a5d7cf55b60e9ad4b3e6bf8b4113efd6e57883b9c565bee2aee7ef3fe4b',1,'done',0,1,200,'stop',2044,27,0,NULL,0,0.002152,'config','chatcmpl-a14e9c4b5916865224934f23','req_2d992ec7e771a0c38867278e',0.0,'2025-11-23 12:51:06.109385','2025-11-23 12:51:06.412595',NULL,NULL,X'789C0DCC410AC2400C46E1AB84ACA508BAEAAE77F00271F257874A22496004F1EECEF2F1C1FB7240D2ADDB8357BEE153B4D101BC93DACB1341E5349E52342449F2809298524FBAA36ABA8722A00B9F787433C4FC6C339ADBDE15D6C0EB79B95C7F7FE28D2438','laptop:30381:01M847BFQ04JHGV0FJAS1F2A11','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BKZXAHYE27Q1Q1RZG99Y','01M847BKED08AS1GCD0AZT33RF','01M847BKF3HW20GJ1E5DAZC3WM','01M847BKZ47R8BNM95JH62RE52','artifact','main',1,'alpha','m1','518ba6d409495e455addd679bf5f03527d40a562ea78ff2a61b6ec4ee3dc00c4',1,'done',0,1,200,'stop',115,525,0,NULL,0,0.002215,'config','chatcmpl-27539cada7f0d1adbfb8133a','req_cc09d4d90f3d9048e14a6188',0.0,'2025-11-23 12:51:08.413412','2025-11-23 12:51:08.744006',NULL,NULL,X'789CCD55C18ED4300CBDE72B2CCD15E603B8A105C45C408295561C3389A78D94C6DDD8DDAA7F8F9DAEF880B4072E538DF5FC6CC72F7917F85D6875EE65F4020FCA995686C1CB8895417F0199B148F299811E0D7C859BC01D875418D62463833D7C1006AFB9E90D0BF8122D5C2056BFEE44810AE3EB8225A0521584FB669FAB73970BBC683D54582A03038BA63BF7ADD2044C13424C160AF8612F952A0BCC948A40326EEDDCFAD21EB276B9BE5321F8540D102847AC862B9002C28459F80A9F43A01AB520083538D352AD4607D7778375E47D7D5D14BF75D5BCB5E92BDA1418BB8FE1400B6D735F507CCAECDC2FF41126D2C49089D12893802C5565428B7437F86CABF1AA82D933FB41E131F66F7D3FB595AAEAB6E28C5E9A028EF4D6640385048FB675789927D19C36D69977EC541D34E9DE0AF0A84A70EE630FC57F9EF43EE15CF565D6B073FA07DFB06ED16FFFA2F6E4B266F8D2BFE43F28B6DEBBAE0745B2EA4EB163A3A93BFFA8890C98191BE7D9B7F087B9899A9322A7DD3CD489B2794B134DA4B04CEA611A6352096DFDA39E4C77F4EDFDB948507F74EE49BD3529CAEE3C0D68EEBD7BE5E405AB9A37F032CF7ADCBBF3AA1587BC70A2F2A9A7F45F999DE3DC','laptop:30426:01M847BKMRPNE1PYSZVMER0JQJ','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BKZY5CVG65R3DDGVCYDJ','01M847BKED08AS1GCD0AZT33RF','01M847BKF3HW20GJ1E5DAZC3WM','01M847BKZ5SNTYS9NYA8W6K2TJ','artifact','main',1,'alpha','m2','16e827656608f39ce13ba8293d7d961530252fcc5e94dc147b5fc24b6216b7eb',1,'done',0,1,200,'stop',115,802,0,NULL,0,0.003323,'config','chatcmpl-1d9127c3ed16bad0081db483','req_be968ac47eb826ecdff0c6d3',0.0,'2025-11-23 12:51:08.414627','2025-11-23 12:51:08.742088',NULL,NULL,X'789CCD57CB6EDB3010BCEB2B16C835F107F4E6162D9A4313A00DD0334DAE252214A970A9A8FAFBCE52498E06421B482E3220EDCE3E665FBEA23F312D5DF7303015FE57E8C0212DD49B327016C293588463F12608A56315DFD1AD0AF63E0A2DBE0C55EC686C113242BD7FE648263A7D1DC965B36C403645E1A799A3654045A6C3AA3FBBAEBBBA2275407C994DF12976DD8F9C46923432392FC540E57AB3E2B3149A928F85BCC29A525D82F900071778CD55D0F8AC023605C759E52279CB347228B2A3EFC60E1A0D24853738C842E6003707B68FECC8F40601968A96B247B42640F36986A5F5BAC5EA4345D22F3E42C9DB9AB9950CB4B7AC41D771F007CEA6F0A6200649988C88E981EF5C7BD07B6B61DDC79E4AAAE292E6AC896DC0BA53FEB60482271004BF4C50364F7D7A78334A31156E0FE5B6B2BFA48CE2CB3C31AA46C3FA0C68B59AF76443127C0C293D76DD9EC6045D0BA28F73800D5369C8FCCCDA56AD7E9FC8F45716EF14C34B13BF3F55EC836BEC9258EF6EBDD6049C3B1F2ED7EE176BB6D654B4EAFD467BE8F20153868639E79546B3A2C0D3441542774B9F5EAB2260419CEC85BF6F765FD201D3E20396DA35DE6C6B441F587FEF14BE2C612742F8C856A803ED36920C18905D77D332133FB9924678A7D78F149E04D747CAE4CC7A53D20D7E74333C6EB48F6C623BC1F7F1E5D6801D1F8272897B43B894807B037A4385CC9BAD0120421C842BFE46DCD1F773462F9B6A102BE6A5605EAB555B63516FD0F294D31C1DBB1DFDD2ED3365B65EB871369D33D7CE9E89979862976E2197EC3C622CA0453117C4ACE75E33A047DBD235C39CB9F36B17DCCFC5E2EAEEBA6F38D68196D59FD4B3FE1DD82EF0113321E3DF00C93C4D9808DB298FDBDE865970BB7F6931FD1F430D6B83','laptop:30426:01M847BKMRPNE1PYSZVMER0JQJ','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BMBMSS3FS4CT3HEECESM','01M847BKED08AS1GCD0AZT33RF','01M847BKF3HW20GJ1E5DAZC3WM','01M847BMA89NJHNBB901DEGWED','evaluation','main',1,'alpha','j1','0c8dd918cfa950957d44058f9128b530b0a0d2e64a48d62c3dfc29e60a22974c',1,'done',0,1,200,'stop',1276,101,0,NULL,0,0.00168,'config','chatcmpl-8fd420b65635c0314b0763b7','req_f493d131eb0f825690506420',0.0,'2025-11-23 12:51:08.788678','2025-11-23 12:51:09.092387',NULL,NULL,X'789C958F410AC2400C45AF12B22E2E5DCC05BC80170831EAC0342999582CA577B7825A2ADD74993CFEE3FF1189F9E1C403A6115DA89A62C293D9054CE10BD37C94016A4BA5406759A302B98075A2076CB0B2B9603A4E0DB2B55D9110955A57CEF35D20E419902BB0699F95B3DE202BE4787F96D8BFB190E7D82EF8613BFAB914E94959367D3FBAC378356F29621EB363EF125AD9A61725AB8C19','laptop:30426:01M847BKMRPNE1PYSZVMER0JQJ','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BMBPV3KMT4PYZ3X7HBXN','01M847BKED08AS1GCD0AZT33RF','01M847BKF3HW20GJ1E5DAZC3WM','01M847BMA65H9BBY6G2NKM753B','evaluation','main',1,'alpha','j1','79b1592e9df322f1548172a9c848a109c63d940389bde766cdbc0adeca78c156',1,'done',0,1,200,'stop',1553,102,0,NULL,0,0.001961,'config','chatcmpl-2bddc80462f96249263ed536','req_1f7e6a7db39d81f43d2f0aa5',0.0,'2025-11-23 12:51:08.790844','2025-11-23 12:51:09.097818',NULL,NULL,X'789C8DD04D6E02310C05E0AB585E23B645D9237A805EC0F518C652C61E25E66784B83B0144CBA02EBA8C9DF7E5296724E67D219E309DB10855374CF849A5CB13904DD1ABED201CA8EB80BE7D1FF04C2C718195BD08A6D56581ECC39825C4A4D619B63EB1E42C16E006AFB712983F7CDFC25174D7076885416B6DC3773E53D198D7FCEA05424EF714BB1DD4F8A6A981469B3C122FCE47738A643990B1CCA48D7B77ABF7B34DEDD47EA00E94338CAED6402A023E8ABD35DB7A1928A2BDFC27F9BBFEB779B9022E548EBB','laptop:30426:01M847BKMRPNE1PYSZVMER0JQJ','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BMPRA3VR21F37WQQ814S','01M847BKED08AS1GCD0AZT33RF','01M847BKF3HW20GJ1E5DAZC3WM','01M847BMP34K7MRYNFAEY5YJWA','comparison','main',1,'alpha','j1','a562e77ba0356b8c072dfdc5d750788038dff9810163b9d287166e53bae43ef2',1,'done',0,1,200,'stop',1922,27,0,NULL,0,0.00203,'config','chatcmpl-37f295ea1cce9a4bd2ab606b','req_ed926f516a34086f7b91047f',0.0,'2025-11-23 12:51:09.144700','2025-11-23 12:51:09.451914',NULL,NULL,X'789C1D8C410A80300C04BFB2E42C221E3C78F427B5A65AD004DA1405F1EF568F3B33EC4D895D5689B2D24893DA06971825BB79E7067331185F860931C336C6A155FBDA84B243C3CFECD4961A3AA308A7EFA60EAF12E2C2E299C6AE1DFAE7059DA02351','laptop:30426:01M847BKMRPNE1PYSZVMER0JQJ','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BMPSW72MBMP7Q9EB9ZQB','01M847BKED08AS1GCD0AZT33RF','01M847BKF3HW20GJ1E5DAZC3WM','01M847BMP34K7MRYNFAEY5YJWB','comparison','main',1,'alpha','j1','647c9652fb075a31f2d1bb16aee37fa37dd273358477032fef52f3afd717bd38',1,'done',0,1,200,'stop',1922,27,0,NULL,0,0.00203,'config','chatcmpl-a6e014a128eff34d54e373b3','req_f90022d93a322d5e9b09c341',0.0,'2025-11-23 12:51:09.146020','2025-11-23 12:51:09.448853',NULL,NULL,X'789C0DCC4B0AC3300C45D1AD3C342EA19340C92C7BE80682F3DC0A5C0964E7534AF65E0FEFE0DC9F0497EAA6F692499E3C1B6624DF1915ED4D54DF22111F0F226FA57CB1D80AADE84A19688EECA5F831C84D0E3563F4CFDC23B9655D698932DD87C778FD01F3DC247B','laptop:30426:01M847BKMRPNE1PYSZVMER0JQJ','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BN252CE81SVX91PHH4RB','01M847BKED08AS1GCD0AZT33RF','01M847BKF3HW20GJ1E5DAZC3WM','01M847BN1AAD1GWR0C0MT9G5HY','artifact','main',1,'alpha','m2','4cbbade18b3c42c5351d3ea9407fb9ccf79f52e2cf8c5da24cc5d28df0490267',1,'started',0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.0,'2025-11-23 12:51:09.509123',NULL,NULL,NULL,NULL,'laptop:30426:01M847BKMRPNE1PYSZVMER0JQJ','default',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0);
CREATE TABLE documents (
	document_id VARCHAR(32) NOT NULL, 
	run_id VARCHAR(32) NOT NULL, 
	path VARCHAR(1024) NOT NULL, 
	"key" VARCHAR(64) NOT NULL, 
	text TEXT NOT NULL, 
	stage VARCHAR(16) NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	reason TEXT, 
	winner_id VARCHAR(32), 
	standings JSON, 
	fusions JSON, 
	published_at DATETIME, 
	created_at DATETIME NOT NULL, 
	finished_at DATETIME, 
	tenant_id VARCHAR(32) NOT NULL, 
	PRIMARY KEY (document_id), 
	FOREIGN KEY(run_id) REFERENCES runs (run_id), 
	CONSTRAINT documents_once UNIQUE (run_id, path)
);
INSERT INTO "documents" VALUES('01M847BFD2R3TZAETBCZ834ZBG','01M847BFCKNSCYKS1Q2BXEWV3H','rivers.md','fe6d6177507beb4ad0c9fae53823626449e808db01048c8394003a2638f5e6a4','# Rivers

A river carries water from the hills to the sea.
','finished','done','Rank 1 of 3 by scores and comparisons; the best one with a probability of 0.62. Every pair was compared: 2 comparisons. In the playoffs: every pair was compared: 4 comparisons.','01M847BFXMEFZMXA6S0AER8X9B','[{"artifact_id": "01M847BFXMEFZMXA6S0AER8X9B", "rank": 1, "admitted": true, "rank_score": 6.111582159238868, "overall": 7.549999999999999, "elo": 1515.263693206478, "wins": 1, "games": 2, "selected": true, "reason": "its level of 0.611 is below the threshold of 0.7, but at least 1 must be taken", "p_best": 0.6185, "posterior": {"points": 1658.3211102887774, "low": 1384.8020423743715, "high": 2057.932050219923}, "bradley_terry": null}, {"artifact_id": "01M847BH1SB5W3Y79QEV9E568M", "rank": 2, "admitted": true, "rank_score": 6.095797001873276, "overall": 7.5, "elo": 1515.9661669788793, "wins": 1, "games": 2, "selected": false, "reason": "its level of 0.610 is below the threshold of 0.7", "p_best": 0.3385, "posterior": {"points": 1576.9061937303804, "low": 1336.1280402237958, "high": 1908.30067723852}, "bradley_terry": null}, {"artifact_id": "01M847BFXMEFZMXA6S0AER8X9C", "rank": 3, "admitted": true, "rank_score": 5.312620838887856, "overall": 6.25, "elo": 1468.7701398146428, "wins": 0, "games": 2, "selected": false, "reason": "its level of 0.531 is below the threshold of 0.7", "p_best": 0.043, "posterior": {"points": 1264.7726959808447, "low": 722.3254295754965, "high": 1572.246934637014}, "bradley_terry": null}]','[{"artifact_id": "01M847BH1SB5W3Y79QEV9E568M", "parent_id": "01M847BFXMEFZMXA6S0AER8X9B", "better": 0.355, "games": 1, "lift": -0.049999999999998934, "lift_low": -1.747378601114256, "lift_high": 1.6473786011142582}]','2025-11-23 12:51:04.212962','2025-11-23 12:51:03.671945','2025-11-23 12:51:06.407324','default');
INSERT INTO "documents" VALUES('01M847BFD2R3TZAETBCZ834ZBH','01M847BFCKNSCYKS1Q2BXEWV3H','wind.md','c33443b0a9b1f4a8c863fa5bdb4d77e199fb674233e9e7f185d9259adeea2275','# Wind

Warm air rises, and cold air takes its place.
','finished','done','Rank 1 of 3 by scores and comparisons; the best one with a probability of 0.54. Every pair was compared: 2 comparisons. In the playoffs: every pair was compared: 4 comparisons.','01M847BH25RVAHV79GTRKPJ829','[{"artifact_id": "01M847BH25RVAHV79GTRKPJ829", "rank": 1, "admitted": true, "rank_score": 5.895797001873277, "overall": 7.0, "elo": 1515.9661669788793, "wins": 1, "games": 2, "selected": true, "reason": "its level of 0.590 is below the threshold of 0.7, but at least 1 must be taken", "p_best": 0.544, "posterior": {"points": 1564.709778842017, "low": 1377.4790504960044, "high": 1784.8746451270204}, "bradley_terry": null}, {"artifact_id": "01M847BFXJHEKFNMYK0ZSXABV2", "rank": 2, "admitted": true, "rank_score": 5.612620838887857, "overall": 7.0, "elo": 1468.7701398146428, "wins": 0, "games": 2, "selected": false, "reason": "its level of 0.561 is below the threshold of 0.7", "p_best": 0.203, "posterior": {"points": 1439.416025299142, "low": 1103.7190819738457, "high": 1624.8490472405892}, "bradley_terry": null}, {"artifact_id": "01M847BFXJHEKFNMYK0ZSXABV1", "rank": 3, "admitted": true, "rank_score": 5.4915821592388685, "overall": 6.0, "elo": 1515.263693206478, "wins": 1, "games": 2, "selected": false, "reason": "its level of 0.549 is below the threshold of 0.7", "p_best": 0.253, "posterior": {"points": 1495.8741958588423, "low": 1295.6417957046842, "high": 1792.090826361285}, "bradley_terry": null}]','[{"artifact_id": "01M847BH25RVAHV79GTRKPJ829", "parent_id": "01M847BFXJHEKFNMYK0ZSXABV2", "better": 0.741, "games": 1, "lift": 0.0, "lift_low": -1.200227919088827, "lift_high": 1.200227919088827}]','2025-11-23 12:51:04.212962','2025-11-23 12:51:03.671945','2025-11-23 12:51:06.427658','default');
INSERT INTO "documents" VALUES('01M847BKF3HW20GJ1E5DAZC3WM','01M847BKED08AS1GCD0AZT33RF','snow.md','f6063f733c1ca503701bb1806ac96c1830f72c8eac7eb73b141c8601c5a4ca8f','# Snow

Snow falls where the air is colder than ice melts.
','combine','running',NULL,NULL,NULL,NULL,'2025-11-23 12:51:08.363688','2025-11-23 12:51:07.846768',NULL,'default');
CREATE TABLE elo_ratings (
	rating_id VARCHAR(32) NOT NULL, 
	run_id VARCHAR(32) NOT NULL, 
	document_id VARCHAR(32) NOT NULL, 
	artifact_id VARCHAR(32) NOT NULL, 
	rating FLOAT NOT NULL, 
	games_played INTEGER NOT NULL, 
	wins INTEGER NOT NULL, 
	losses INTEGER NOT NULL, 
	ties INTEGER NOT NULL, 
	rating_history JSON NOT NULL, 
	updated_at DATETIME NOT NULL, 
	tenant_id VARCHAR(32) NOT NULL, 
	PRIMARY KEY (rating_id), 
	FOREIGN KEY(artifact_id) REFERENCES artifacts (artifact_id), 
	FOREIGN KEY(document_id) REFERENCES documents (document_id), 
	FOREIGN KEY(run_id) REFERENCES runs (run_id), 
	CONSTRAINT elo_ratings_once UNIQUE (run_id, artifact_id)
);
INSERT INTO "elo_ratings" VALUES('01M847BJ1HNFDGA3D1V35FNN0Q','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','01M847BFXMEFZMXA6S0AER8X9B',1.51526369320647791025e+03,2,1,0,1,'[1500.0, 1516.0, 1515.263693206478]','2025-11-23 12:51:06.407324','default');
INSERT INTO "elo_ratings" VALUES('01M847BJ1HNFDGA3D1V35FNN0R','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','01M847BFXMEFZMXA6S0AER8X9C',1.46877013981464278917e+03,2,0,2,0,'[1500.0, 1484.0, 1468.7701398146428]','2025-11-23 12:51:06.407324','default');
INSERT INTO "elo_ratings" VALUES('01M847BJ1HNFDGA3D1V35FNN0S','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','01M847BH1SB5W3Y79QEV9E568M',1.51596616697887930057e+03,2,1,0,1,'[1500.0, 1500.736306793522, 1515.9661669788793]','2025-11-23 12:51:06.407324','default');
INSERT INTO "elo_ratings" VALUES('01M847BJ23XWT9DGJQ4B6XRQ4M','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','01M847BFXJHEKFNMYK0ZSXABV1',1.51526369320647791025e+03,2,1,0,1,'[1500.0, 1516.0, 1515.263693206478]','2025-11-23 12:51:06.427658','default');
INSERT INTO "elo_ratings" VALUES('01M847BJ23XWT9DGJQ4B6XRQ4N','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','01M847BFXJHEKFNMYK0ZSXABV2',1.46877013981464278917e+03,2,0,2,0,'[1500.0, 1484.0, 1468.7701398146428]','2025-11-23 12:51:06.427658','default');
INSERT INTO "elo_ratings" VALUES('01M847BJ23XWT9DGJQ4B6XRQ4P','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','01M847BH25RVAHV79GTRKPJ829',1.51596616697887930057e+03,2,1,0,1,'[1500.0, 1500.736306793522, 1515.9661669788793]','2025-11-23 12:51:06.427658','default');
CREATE TABLE eval_results (
	eval_id VARCHAR(32) NOT NULL, 
	run_id VARCHAR(32) NOT NULL, 
	document_id VARCHAR(32) NOT NULL, 
	artifact_id VARCHAR(32) NOT NULL, 
	judge VARCHAR(200) NOT NULL, 
	judge_provider VARCHAR(100) NOT NULL, 
	judge_model VARCHAR(200) NOT NULL, 
	iteration INTEGER NOT NULL, 
	criteria_scores JSON NOT NULL, 
	filled JSON NOT NULL, 
	overall_score FLOAT, 
	reasoning JSON NOT NULL, 
	raw_response TEXT, 
	input_tokens INTEGER, 
	output_tokens INTEGER, 
	duration_ms INTEGER, 
	tenant_id VARCHAR(32) NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	epoch INTEGER NOT NULL, 
	lease_until DATETIME, 
	owner VARCHAR(128), 
	attempts INTEGER NOT NULL, 
	published_at DATETIME, 
	error_kind VARCHAR(64), 
	error TEXT, 
	created_at DATETIME NOT NULL, 
	finished_at DATETIME, proof JSON, not_before DATETIME, failures INTEGER DEFAULT '0' NOT NULL, rests BOOLEAN DEFAULT 0 NOT NULL, 
	PRIMARY KEY (eval_id), 
	FOREIGN KEY(artifact_id) REFERENCES artifacts (artifact_id), 
	FOREIGN KEY(document_id) REFERENCES documents (document_id), 
	FOREIGN KEY(run_id) REFERENCES runs (run_id), 
	CONSTRAINT eval_results_once UNIQUE (artifact_id, judge, iteration)
);
INSERT INTO "eval_results" VALUES('01M847BGBA0TN2W0Y4YPCZMPJ0','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','01M847BFXJHEKFNMYK0ZSXABV1','alpha:j1','alpha','j1',1,'{"accuracy": 6.0, "completeness": 6.0, "clarity": 6.0, "relevance": 6.0, "formatting": 6.0}','[]',6.0,'{"accuracy": "Good on accuracy: only small points are open.", "completeness": "Good on completeness: only small points are open.", "clarity": "Good on clarity: only small points are open.", "relevance": "Good on relevance: only small points are open.", "formatting": "The text is convincing in its formatting."}','{"accuracy":{"reason":"Good on accuracy: only small points are open.","score":6},"completeness":{"reason":"Good on completeness: only small points are open.","score":6},"clarity":{"reason":"Good on clarity: only small points are open.","score":6},"relevance":{"reason":"Good on relevance: only small points are open.","score":6},"formatting":{"reason":"The text is convincing in its formatting.","score":6}}',1490,102,328,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:04.686815',NULL,NULL,'2025-11-23 12:51:04.681995','2025-11-23 12:51:05.022407','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "eval_results" VALUES('01M847BGBDRSF0M57JA0NJMEK9','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','01M847BFXJHEKFNMYK0ZSXABV2','alpha:j1','alpha','j1',1,'{"accuracy": 7.0, "completeness": 7.0, "clarity": 7.0, "relevance": 7.0, "formatting": 7.0}','[]',7.0,'{"accuracy": "Good on accuracy: only small points are open.", "completeness": "The text is convincing in its completeness.", "clarity": "Good on clarity: only small points are open.", "relevance": "The text is convincing in its relevance.", "formatting": "Good on formatting: only small points are open."}','{"accuracy":{"reason":"Good on accuracy: only small points are open.","score":7},"completeness":{"reason":"The text is convincing in its completeness.","score":7},"clarity":{"reason":"Good on clarity: only small points are open.","score":7},"relevance":{"reason":"The text is convincing in its relevance.","score":7},"formatting":{"reason":"Good on formatting: only small points are open.","score":7}}',1490,101,329,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:04.689053',NULL,NULL,'2025-11-23 12:51:04.685325','2025-11-23 12:51:05.044615','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "eval_results" VALUES('01M847BGBENHE3TEP18GFEYR60','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','01M847BFXMEFZMXA6S0AER8X9B','alpha:j1','alpha','j1',1,'{"accuracy": 7.0, "completeness": 8.0, "clarity": 8.0, "relevance": 7.0, "formatting": 8.0}','[]',7.54999999999999893418e+00,'{"accuracy": "The text is convincing in its accuracy.", "completeness": "The text is convincing in its completeness.", "clarity": "The text is convincing in its clarity.", "relevance": "The text is convincing in its relevance.", "formatting": "Good on formatting: only small points are open."}','{"accuracy":{"reason":"The text is convincing in its accuracy.","score":7},"completeness":{"reason":"The text is convincing in its completeness.","score":8},"clarity":{"reason":"The text is convincing in its clarity.","score":8},"relevance":{"reason":"The text is convincing in its relevance.","score":7},"formatting":{"reason":"Good on formatting: only small points are open.","score":8}}',1229,98,320,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:04.690888',NULL,NULL,'2025-11-23 12:51:04.686034','2025-11-23 12:51:05.038401','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "eval_results" VALUES('01M847BGBENHE3TEP18GFEYR61','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','01M847BFXMEFZMXA6S0AER8X9C','alpha:j1','alpha','j1',1,'{"accuracy": 6.0, "completeness": 7.0, "clarity": 6.0, "relevance": 6.0, "formatting": 6.0}','[]',6.25,'{"accuracy": "The text is convincing in its accuracy.", "completeness": "The text is convincing in its completeness.", "clarity": "Good on clarity: only small points are open.", "relevance": "The text is convincing in its relevance.", "formatting": "The text is convincing in its formatting."}','{"accuracy":{"reason":"The text is convincing in its accuracy.","score":6},"completeness":{"reason":"The text is convincing in its completeness.","score":7},"clarity":{"reason":"Good on clarity: only small points are open.","score":6},"relevance":{"reason":"The text is convincing in its relevance.","score":6},"formatting":{"reason":"The text is convincing in its formatting.","score":6}}',1369,98,322,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:04.692860',NULL,NULL,'2025-11-23 12:51:04.686570','2025-11-23 12:51:05.036052','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "eval_results" VALUES('01M847BHBWNK1W697XT8MXKXQY','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','01M847BH1SB5W3Y79QEV9E568M','alpha:j1','alpha','j1',1,'{"accuracy": 7.0, "completeness": 7.0, "clarity": 7.0, "relevance": 7.0, "formatting": 7.0}','[]',7.0,'{"accuracy": "The text is convincing in its accuracy.", "completeness": "Good on completeness: only small points are open.", "clarity": "The text is convincing in its clarity.", "relevance": "The text is convincing in its relevance.", "formatting": "The text is convincing in its formatting."}','{"accuracy":{"reason":"The text is convincing in its accuracy.","score":7},"completeness":{"reason":"Good on completeness: only small points are open.","score":7},"clarity":{"reason":"The text is convincing in its clarity.","score":7},"relevance":{"reason":"The text is convincing in its relevance.","score":7},"formatting":{"reason":"The text is convincing in its formatting.","score":7}}',1458,98,308,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:05.725679',NULL,NULL,'2025-11-23 12:51:05.724626','2025-11-23 12:51:06.044108','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "eval_results" VALUES('01M847BHBWNK1W697XT8MXKXQZ','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','01M847BH1SB5W3Y79QEV9E568M','alpha:j1','alpha','j1',2,'{"accuracy": 8.0, "completeness": 8.0, "clarity": 8.0, "relevance": 8.0, "formatting": 8.0}','[]',8.0,'{"accuracy": "Excellent on accuracy: nothing of weight is missing.", "completeness": "Excellent on completeness: nothing of weight is missing.", "clarity": "Excellent on clarity: nothing of weight is missing.", "relevance": "Excellent on relevance: nothing of weight is missing.", "formatting": "Excellent on formatting: nothing of weight is missing."}','{"accuracy":{"reason":"Excellent on accuracy: nothing of weight is missing.","score":8},"completeness":{"reason":"Excellent on completeness: nothing of weight is missing.","score":8},"clarity":{"reason":"Excellent on clarity: nothing of weight is missing.","score":8},"relevance":{"reason":"Excellent on relevance: nothing of weight is missing.","score":8},"formatting":{"reason":"Excellent on formatting: nothing of weight is missing.","score":8}}',1458,112,306,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:05.725679',NULL,NULL,'2025-11-23 12:51:05.724626','2025-11-23 12:51:06.045018','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "eval_results" VALUES('01M847BHCEBB295FQG663GYG3G','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','01M847BH25RVAHV79GTRKPJ829','alpha:j1','alpha','j1',1,'{"accuracy": 7.0, "completeness": 7.0, "clarity": 7.0, "relevance": 7.0, "formatting": 7.0}','[]',7.0,'{"accuracy": "The text is convincing in its accuracy.", "completeness": "Good on completeness: only small points are open.", "clarity": "Good on clarity: only small points are open.", "relevance": "Good on relevance: only small points are open.", "formatting": "Good on formatting: only small points are open."}','{"accuracy":{"reason":"The text is convincing in its accuracy.","score":7},"completeness":{"reason":"Good on completeness: only small points are open.","score":7},"clarity":{"reason":"Good on clarity: only small points are open.","score":7},"relevance":{"reason":"Good on relevance: only small points are open.","score":7},"formatting":{"reason":"Good on formatting: only small points are open.","score":7}}',1459,102,304,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:05.743135',NULL,NULL,'2025-11-23 12:51:05.742547','2025-11-23 12:51:06.060428','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "eval_results" VALUES('01M847BHCEBB295FQG663GYG3H','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','01M847BH25RVAHV79GTRKPJ829','alpha:j1','alpha','j1',2,'{"accuracy": 7.0, "completeness": 7.0, "clarity": 7.0, "relevance": 7.0, "formatting": 7.0}','[]',7.0,'{"accuracy": "Good on accuracy: only small points are open.", "completeness": "The text is convincing in its completeness.", "clarity": "Good on clarity: only small points are open.", "relevance": "The text is convincing in its relevance.", "formatting": "The text is convincing in its formatting."}','{"accuracy":{"reason":"Good on accuracy: only small points are open.","score":7},"completeness":{"reason":"The text is convincing in its completeness.","score":7},"clarity":{"reason":"Good on clarity: only small points are open.","score":7},"relevance":{"reason":"The text is convincing in its relevance.","score":7},"formatting":{"reason":"The text is convincing in its formatting.","score":7}}',1459,99,307,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:05.743135',NULL,NULL,'2025-11-23 12:51:05.742547','2025-11-23 12:51:06.062577','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "eval_results" VALUES('01M847BMA65H9BBY6G2NKM753B','01M847BKED08AS1GCD0AZT33RF','01M847BKF3HW20GJ1E5DAZC3WM','01M847BKZ5SNTYS9NYA8W6K2TJ','alpha:j1','alpha','j1',1,'{"accuracy": 8.0, "completeness": 8.0, "clarity": 7.0, "relevance": 8.0, "formatting": 8.0}','[]',7.80000000000000071054e+00,'{"accuracy": "Hardly anything to add about accuracy.", "completeness": "Excellent on completeness: nothing of weight is missing.", "clarity": "The text is convincing in its clarity.", "relevance": "Good on relevance: only small points are open.", "formatting": "Good on formatting: only small points are open."}','{"accuracy":{"reason":"Hardly anything to add about accuracy.","score":8},"completeness":{"reason":"Excellent on completeness: nothing of weight is missing.","score":8},"clarity":{"reason":"The text is convincing in its clarity.","score":7},"relevance":{"reason":"Good on relevance: only small points are open.","score":8},"formatting":{"reason":"Good on formatting: only small points are open.","score":8}}',1553,102,337,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:08.746581',NULL,NULL,'2025-11-23 12:51:08.742517','2025-11-23 12:51:09.098282','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "eval_results" VALUES('01M847BMA89NJHNBB901DEGWED','01M847BKED08AS1GCD0AZT33RF','01M847BKF3HW20GJ1E5DAZC3WM','01M847BKZ47R8BNM95JH62RE52','alpha:j1','alpha','j1',1,'{"accuracy": 6.0, "completeness": 6.0, "clarity": 6.0, "relevance": 6.0, "formatting": 6.0}','[]',6.0,'{"accuracy": "Good on accuracy: only small points are open.", "completeness": "The text is convincing in its completeness.", "clarity": "Good on clarity: only small points are open.", "relevance": "Good on relevance: only small points are open.", "formatting": "The text is convincing in its formatting."}','{"accuracy":{"reason":"Good on accuracy: only small points are open.","score":6},"completeness":{"reason":"The text is convincing in its completeness.","score":6},"clarity":{"reason":"Good on clarity: only small points are open.","score":6},"relevance":{"reason":"Good on relevance: only small points are open.","score":6},"formatting":{"reason":"The text is convincing in its formatting.","score":6}}',1276,101,326,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:08.753430',NULL,NULL,'2025-11-23 12:51:08.744277','2025-11-23 12:51:09.093029','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
CREATE TABLE events (
	event_id INTEGER NOT NULL, 
	run_id VARCHAR(32) NOT NULL, 
	document_id VARCHAR(32), 
	kind VARCHAR(32) NOT NULL, 
	data JSON NOT NULL, 
	at DATETIME NOT NULL, 
	tenant_id VARCHAR(32) NOT NULL, 
	PRIMARY KEY (event_id), 
	FOREIGN KEY(run_id) REFERENCES runs (run_id)
);
INSERT INTO "events" VALUES(1,'01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','stage','{"stage": "compare"}','2025-11-23 12:51:05.046850','default');
INSERT INTO "events" VALUES(2,'01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','stage','{"stage": "compare"}','2025-11-23 12:51:05.059813','default');
INSERT INTO "events" VALUES(3,'01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','stage','{"stage": "combine"}','2025-11-23 12:51:05.383881','default');
INSERT INTO "events" VALUES(4,'01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','stage','{"stage": "combine"}','2025-11-23 12:51:05.404607','default');
INSERT INTO "events" VALUES(5,'01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','stage','{"stage": "playoff"}','2025-11-23 12:51:06.061420','default');
INSERT INTO "events" VALUES(6,'01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','stage','{"stage": "playoff"}','2025-11-23 12:51:06.088896','default');
INSERT INTO "events" VALUES(7,'01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','document_finished','{"state": "done", "reason": "Rank 1 of 3 by scores and comparisons; the best one with a probability of 0.62. Every pair was compared: 2 comparisons. In the playoffs: every pair was compared: 4 comparisons."}','2025-11-23 12:51:06.407324','default');
INSERT INTO "events" VALUES(8,'01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','document_finished','{"state": "done", "reason": "Rank 1 of 3 by scores and comparisons; the best one with a probability of 0.54. Every pair was compared: 2 comparisons. In the playoffs: every pair was compared: 4 comparisons."}','2025-11-23 12:51:06.427658','default');
INSERT INTO "events" VALUES(9,'01M847BFCKNSCYKS1Q2BXEWV3H',NULL,'run_finished','{"state": "done"}','2025-11-23 12:51:06.427658','default');
INSERT INTO "events" VALUES(10,'01M847BKED08AS1GCD0AZT33RF','01M847BKF3HW20GJ1E5DAZC3WM','stage','{"stage": "compare"}','2025-11-23 12:51:09.112514','default');
INSERT INTO "events" VALUES(11,'01M847BKED08AS1GCD0AZT33RF','01M847BKF3HW20GJ1E5DAZC3WM','stage','{"stage": "combine"}','2025-11-23 12:51:09.459573','default');
CREATE TABLE pairwise_comparisons (
	comparison_id VARCHAR(32) NOT NULL, 
	run_id VARCHAR(32) NOT NULL, 
	document_id VARCHAR(32) NOT NULL, 
	artifact_a_id VARCHAR(32) NOT NULL, 
	artifact_b_id VARCHAR(32) NOT NULL, 
	judge VARCHAR(200) NOT NULL, 
	judge_provider VARCHAR(100) NOT NULL, 
	judge_model VARCHAR(200) NOT NULL, 
	iteration INTEGER NOT NULL, 
	winner VARCHAR(8), 
	confidence FLOAT, 
	reasoning TEXT, 
	raw_response TEXT, 
	input_tokens INTEGER, 
	output_tokens INTEGER, 
	duration_ms INTEGER, 
	tenant_id VARCHAR(32) NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	epoch INTEGER NOT NULL, 
	lease_until DATETIME, 
	owner VARCHAR(128), 
	attempts INTEGER NOT NULL, 
	published_at DATETIME, 
	error_kind VARCHAR(64), 
	error TEXT, 
	created_at DATETIME NOT NULL, 
	finished_at DATETIME, proof JSON, not_before DATETIME, failures INTEGER DEFAULT '0' NOT NULL, rests BOOLEAN DEFAULT 0 NOT NULL, 
	PRIMARY KEY (comparison_id), 
	FOREIGN KEY(artifact_a_id) REFERENCES artifacts (artifact_id), 
	FOREIGN KEY(artifact_b_id) REFERENCES artifacts (artifact_id), 
	FOREIGN KEY(document_id) REFERENCES documents (document_id), 
	FOREIGN KEY(run_id) REFERENCES runs (run_id), 
	CONSTRAINT pairwise_comparisons_once UNIQUE (artifact_a_id, artifact_b_id, judge, iteration)
);
INSERT INTO "pairwise_comparisons" VALUES('01M847BGPWGZA04P3N6S6NRRW0','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','01M847BFXMEFZMXA6S0AER8X9B','01M847BFXMEFZMXA6S0AER8X9C','alpha:j1','alpha','j1',1,'a',0.68,'Text A keeps closer to what was asked and is better ordered.','{"reasoning":"Text A keeps closer to what was asked and is better ordered.","winner":"A","confidence":0.68}',1692,27,312,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:05.046850',NULL,NULL,'2025-11-23 12:51:05.046850','2025-11-23 12:51:05.376799','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "pairwise_comparisons" VALUES('01M847BGPWGZA04P3N6S6NRRW1','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','01M847BFXMEFZMXA6S0AER8X9C','01M847BFXMEFZMXA6S0AER8X9B','alpha:j1','alpha','j1',1,'b',0.36,'Text B covers the source more fully and is easier to follow.','{"reasoning":"Text B covers the source more fully and is easier to follow.","winner":"B","confidence":0.36}',1692,27,304,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:05.046850',NULL,NULL,'2025-11-23 12:51:05.046850','2025-11-23 12:51:05.372335','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "pairwise_comparisons" VALUES('01M847BGQ5V953BJWGGCVF5M5T','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','01M847BFXJHEKFNMYK0ZSXABV1','01M847BFXJHEKFNMYK0ZSXABV2','alpha:j1','alpha','j1',1,'a',0.06,'Text A keeps closer to what was asked and is better ordered.','{"reasoning":"Text A keeps closer to what was asked and is better ordered.","winner":"A","confidence":0.06}',2075,27,312,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:05.059813',NULL,NULL,'2025-11-23 12:51:05.059813','2025-11-23 12:51:05.382604','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "pairwise_comparisons" VALUES('01M847BGQ5V953BJWGGCVF5M5V','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','01M847BFXJHEKFNMYK0ZSXABV2','01M847BFXJHEKFNMYK0ZSXABV1','alpha:j1','alpha','j1',1,'b',0.09,'Text B covers the source more fully and is easier to follow.','{"reasoning":"Text B covers the source more fully and is easier to follow.","winner":"B","confidence":0.09}',2075,27,308,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:05.059813',NULL,NULL,'2025-11-23 12:51:05.059813','2025-11-23 12:51:05.381978','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "pairwise_comparisons" VALUES('01M847BHPHSVW590BSC2G3NWE1','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','01M847BFXMEFZMXA6S0AER8X9B','01M847BH1SB5W3Y79QEV9E568M','alpha:j1','alpha','j1',1,'tie',0.01,'Neither text is better by a margin worth naming.','{"reasoning":"Neither text is better by a margin worth naming.","winner":"tie","confidence":0.01}',1780,25,312,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:06.061420',NULL,NULL,'2025-11-23 12:51:06.061420','2025-11-23 12:51:06.392820','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "pairwise_comparisons" VALUES('01M847BHPHSVW590BSC2G3NWE2','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','01M847BH1SB5W3Y79QEV9E568M','01M847BFXMEFZMXA6S0AER8X9B','alpha:j1','alpha','j1',1,'b',0.16,'Both are usable, but text B is the more careful of the two.','{"reasoning":"Both are usable, but text B is the more careful of the two.","winner":"B","confidence":0.16}',1780,27,310,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:06.061420',NULL,NULL,'2025-11-23 12:51:06.061420','2025-11-23 12:51:06.396626','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "pairwise_comparisons" VALUES('01M847BHPHSVW590BSC2G3NWE3','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','01M847BFXMEFZMXA6S0AER8X9C','01M847BH1SB5W3Y79QEV9E568M','alpha:j1','alpha','j1',1,'b',0.58,'Text B keeps closer to what was asked and is better ordered.','{"reasoning":"Text B keeps closer to what was asked and is better ordered.","winner":"B","confidence":0.58}',1921,27,312,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:06.061420',NULL,NULL,'2025-11-23 12:51:06.061420','2025-11-23 12:51:06.395081','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "pairwise_comparisons" VALUES('01M847BHPHSVW590BSC2G3NWE4','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBG','01M847BH1SB5W3Y79QEV9E568M','01M847BFXMEFZMXA6S0AER8X9C','alpha:j1','alpha','j1',1,'a',0.68,'Text A keeps closer to what was asked and is better ordered.','{"reasoning":"Text A keeps closer to what was asked and is better ordered.","winner":"A","confidence":0.68}',1921,27,305,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:06.061420',NULL,NULL,'2025-11-23 12:51:06.061420','2025-11-23 12:51:06.398096','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "pairwise_comparisons" VALUES('01M847BHQB0JTRC9AW52DG20X0','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','01M847BFXJHEKFNMYK0ZSXABV1','01M847BH25RVAHV79GTRKPJ829','alpha:j1','alpha','j1',1,'tie',0.02,'Neither text is better by a margin worth naming.','{"reasoning":"Neither text is better by a margin worth naming.","winner":"tie","confidence":0.02}',2044,25,303,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:06.088896',NULL,NULL,'2025-11-23 12:51:06.088896','2025-11-23 12:51:06.402435','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "pairwise_comparisons" VALUES('01M847BHQB0JTRC9AW52DG20X1','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','01M847BH25RVAHV79GTRKPJ829','01M847BFXJHEKFNMYK0ZSXABV1','alpha:j1','alpha','j1',1,'b',0.09,'Both are usable, but text B is the more careful of the two.','{"reasoning":"Both are usable, but text B is the more careful of the two.","winner":"B","confidence":0.09}',2044,27,309,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:06.088896',NULL,NULL,'2025-11-23 12:51:06.088896','2025-11-23 12:51:06.412250','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "pairwise_comparisons" VALUES('01M847BHQB0JTRC9AW52DG20X2','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','01M847BFXJHEKFNMYK0ZSXABV2','01M847BH25RVAHV79GTRKPJ829','alpha:j1','alpha','j1',1,'b',0.34,'Both are usable, but text B is the more careful of the two.','{"reasoning":"Both are usable, but text B is the more careful of the two.","winner":"B","confidence":0.34}',2044,27,308,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:06.088896',NULL,NULL,'2025-11-23 12:51:06.088896','2025-11-23 12:51:06.413066','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "pairwise_comparisons" VALUES('01M847BHQB0JTRC9AW52DG20X3','01M847BFCKNSCYKS1Q2BXEWV3H','01M847BFD2R3TZAETBCZ834ZBH','01M847BH25RVAHV79GTRKPJ829','01M847BFXJHEKFNMYK0ZSXABV2','alpha:j1','alpha','j1',1,'a',0.34,'Text A keeps closer to what was asked and is better ordered.','{"reasoning":"Text A keeps closer to what was asked and is better ordered.","winner":"A","confidence":0.34}',2044,27,304,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:06.088896',NULL,NULL,'2025-11-23 12:51:06.088896','2025-11-23 12:51:06.412730','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "pairwise_comparisons" VALUES('01M847BMP34K7MRYNFAEY5YJWA','01M847BKED08AS1GCD0AZT33RF','01M847BKF3HW20GJ1E5DAZC3WM','01M847BKZ47R8BNM95JH62RE52','01M847BKZ5SNTYS9NYA8W6K2TJ','alpha:j1','alpha','j1',1,'b',0.62,'Both are usable, but text B is the more careful of the two.','{"reasoning":"Both are usable, but text B is the more careful of the two.","winner":"B","confidence":0.62}',1922,27,317,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:09.112514',NULL,NULL,'2025-11-23 12:51:09.112514','2025-11-23 12:51:09.452137','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "pairwise_comparisons" VALUES('01M847BMP34K7MRYNFAEY5YJWB','01M847BKED08AS1GCD0AZT33RF','01M847BKF3HW20GJ1E5DAZC3WM','01M847BKZ5SNTYS9NYA8W6K2TJ','01M847BKZ47R8BNM95JH62RE52','alpha:j1','alpha','j1',1,'a',0.85,'Text A covers the source more fully and is easier to follow.','{"reasoning":"Text A covers the source more fully and is easier to follow.","winner":"A","confidence":0.85}',1922,27,313,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:09.112514',NULL,NULL,'2025-11-23 12:51:09.112514','2025-11-23 12:51:09.449398','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
CREATE TABLE reports (
	report_id VARCHAR(32) NOT NULL, 
	run_id VARCHAR(32) NOT NULL, 
	type VARCHAR(16) NOT NULL, 
	format VARCHAR(16) NOT NULL, 
	storage_path VARCHAR(2048) NOT NULL, 
	created_at DATETIME NOT NULL, 
	tenant_id VARCHAR(32) NOT NULL, 
	PRIMARY KEY (report_id), 
	FOREIGN KEY(run_id) REFERENCES runs (run_id)
);
INSERT INTO "reports" VALUES('01M847BJEKB3Z55YSKFE0XDZT0','01M847BFCKNSCYKS1Q2BXEWV3H','run','html','{folder}/reports/01M847BFCKNSCYKS1Q2BXEWV3H/index.html','2025-11-23 12:51:06.628637','default');
CREATE TABLE runs (
	run_id VARCHAR(32) NOT NULL, 
	"key" VARCHAR(64) NOT NULL, 
	title VARCHAR(300) NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	config JSON NOT NULL, 
	instructions TEXT NOT NULL, 
	guidelines TEXT, 
	skipped JSON NOT NULL, 
	expected JSON, 
	cancel_requested BOOLEAN NOT NULL, 
	created_at DATETIME NOT NULL, 
	finished_at DATETIME, 
	tenant_id VARCHAR(32) NOT NULL, reason TEXT, distributed BOOLEAN DEFAULT 0 NOT NULL, revision INTEGER DEFAULT '0' NOT NULL, rejudged_from VARCHAR(32), 
	PRIMARY KEY (run_id)
);
INSERT INTO "runs" VALUES('01M847BFCKNSCYKS1Q2BXEWV3H','58bbac00eef2e8008659355c618eef1cc1f53279b275c1db7e90720c34e3f244','config.yaml','done','{"input_folder": "{folder}/inputs", "output_folder": "{folder}/outputs", "winners_folder": "{folder}/winners", "reports_folder": "{folder}/reports", "instructions_file": "{folder}/instructions.md", "guidelines_file": null, "one_file_only": false, "providers": {"alpha": {"dialect": "openai_chat", "base_url": "{url}", "key_env": null, "requests_per_minute": null, "tokens_per_minute": null, "max_in_flight": 8, "launch_delay_seconds": 0.0, "timeout_seconds": 600.0, "background": false, "poll_seconds": 10.0, "models": {}, "prices": {"m1": {"input": 1.0, "output": 4.0, "cached": 0.5, "cache_write": null, "search": null, "search_per": "search"}, "m2": {"input": 1.0, "output": 4.0, "cached": 0.5, "cache_write": null, "search": null, "search_per": "search"}, "j1": {"input": 1.0, "output": 4.0, "cached": 0.5, "cache_write": null, "search": null, "search_per": "search"}}, "capabilities": {}}}, "runs": [{"type": "fpf", "provider": "alpha", "model": "m1", "iterations": 1, "json": "auto", "require": {"grounding": "none", "reasoning": "none"}, "effort": null, "max_searches": null, "max_tokens": null, "temperature": null}, {"type": "fpf", "provider": "alpha", "model": "m2", "iterations": 1, "json": "auto", "require": {"grounding": "none", "reasoning": "none"}, "effort": null, "max_searches": null, "max_tokens": null, "temperature": null}], "judges": [{"name": "alpha:j1", "provider": "alpha", "model": "j1", "weight": 1.0, "iterations": 1, "max_tokens": 4096, "temperature": null, "system_prompt": null, "json": null, "require": {"grounding": "none", "reasoning": "none"}, "effort": null, "max_searches": null}], "criteria": [{"name": "accuracy", "description": "Facts are right; nothing is invented", "weight": 0.3, "min": 1, "max": 10, "step": 1, "prompt_guidance": ""}, {"name": "completeness", "description": "Covers everything that was asked for", "weight": 0.25, "min": 1, "max": 10, "step": 1, "prompt_guidance": ""}, {"name": "clarity", "description": "Well written and easy to understand", "weight": 0.2, "min": 1, "max": 10, "step": 1, "prompt_guidance": ""}, {"name": "relevance", "description": "Stays on the subject", "weight": 0.15, "min": 1, "max": 10, "step": 1, "prompt_guidance": ""}, {"name": "formatting", "description": "Sound structure, headings and lists", "weight": 0.1, "min": 1, "max": 10, "step": 1, "prompt_guidance": ""}], "pairwise": {"enabled": true, "strategy": "round_robin", "position_swap": "both", "top_n": null, "iterations": 1, "judges": null, "stop_confidence": 0.9, "max_comparisons": null, "tie_below_confidence": null}, "playoffs": {"enabled": true, "models": null, "min_confidence": 0.5, "iterations": 2, "judges": null, "criteria": null, "pairwise": true}, "ranking": {"method": "auto", "aggregation": "mean", "elo": {"k": 32.0, "initial": 1500.0, "order": "chronological"}, "top_n": {"count": 3, "threshold": 0.7, "min": 1, "max": 5}}, "retries": {"attempts": 2, "base_delay_seconds": 0.05, "max_delay_seconds": 60.0, "deadline_seconds": 3600.0}, "budget_usd": null, "policies": {"providers": {}}, "missing_score": null, "cache": "reuse", "skip": "auto", "json": "auto", "jsonify": null, "seed": 0}','Rewrite the text for readers who are new to the subject.',NULL,'[]','{"calls": 26, "usd": 0.135936}',0,'2025-11-23 12:51:03.671945','2025-11-23 12:51:06.427658','default',NULL,0,0,NULL);
INSERT INTO "runs" VALUES('01M847BKED08AS1GCD0AZT33RF','24893eeabfdaab36522d346656dfe3852e29721c025cd13a31b822394e4cc804','config.yaml','running','{"input_folder": "{folder}/inputs", "output_folder": "{folder}/outputs", "winners_folder": "{folder}/winners", "reports_folder": "{folder}/reports", "instructions_file": "{folder}/instructions.md", "guidelines_file": null, "one_file_only": false, "providers": {"alpha": {"dialect": "openai_chat", "base_url": "{url}", "key_env": null, "requests_per_minute": null, "tokens_per_minute": null, "max_in_flight": 8, "launch_delay_seconds": 0.0, "timeout_seconds": 600.0, "background": false, "poll_seconds": 10.0, "models": {}, "prices": {"m1": {"input": 1.0, "output": 4.0, "cached": 0.5, "cache_write": null, "search": null, "search_per": "search"}, "m2": {"input": 1.0, "output": 4.0, "cached": 0.5, "cache_write": null, "search": null, "search_per": "search"}, "j1": {"input": 1.0, "output": 4.0, "cached": 0.5, "cache_write": null, "search": null, "search_per": "search"}}, "capabilities": {}}}, "runs": [{"type": "fpf", "provider": "alpha", "model": "m1", "iterations": 1, "json": "auto", "require": {"grounding": "none", "reasoning": "none"}, "effort": null, "max_searches": null, "max_tokens": null, "temperature": null}, {"type": "fpf", "provider": "alpha", "model": "m2", "iterations": 1, "json": "auto", "require": {"grounding": "none", "reasoning": "none"}, "effort": null, "max_searches": null, "max_tokens": null, "temperature": null}], "judges": [{"name": "alpha:j1", "provider": "alpha", "model": "j1", "weight": 1.0, "iterations": 1, "max_tokens": 4096, "temperature": null, "system_prompt": null, "json": null, "require": {"grounding": "none", "reasoning": "none"}, "effort": null, "max_searches": null}], "criteria": [{"name": "accuracy", "description": "Facts are right; nothing is invented", "weight": 0.3, "min": 1, "max": 10, "step": 1, "prompt_guidance": ""}, {"name": "completeness", "description": "Covers everything that was asked for", "weight": 0.25, "min": 1, "max": 10, "step": 1, "prompt_guidance": ""}, {"name": "clarity", "description": "Well written and easy to understand", "weight": 0.2, "min": 1, "max": 10, "step": 1, "prompt_guidance": ""}, {"name": "relevance", "description": "Stays on the subject", "weight": 0.15, "min": 1, "max": 10, "step": 1, "prompt_guidance": ""}, {"name": "formatting", "description": "Sound structure, headings and lists", "weight": 0.1, "min": 1, "max": 10, "step": 1, "prompt_guidance": ""}], "pairwise": {"enabled": true, "strategy": "round_robin", "position_swap": "both", "top_n": null, "iterations": 1, "judges": null, "stop_confidence": 0.9, "max_comparisons": null, "tie_below_confidence": null}, "playoffs": {"enabled": true, "models": null, "min_confidence": 0.5, "iterations": 2, "judges": null, "criteria": null, "pairwise": true}, "ranking": {"method": "auto", "aggregation": "mean", "elo": {"k": 32.0, "initial": 1500.0, "order": "chronological"}, "top_n": {"count": 3, "threshold": 0.7, "min": 1, "max": 5}}, "retries": {"attempts": 2, "base_delay_seconds": 0.05, "max_delay_seconds": 60.0, "deadline_seconds": 3600.0}, "budget_usd": null, "policies": {"providers": {}}, "missing_score": null, "cache": "reuse", "skip": "auto", "json": "auto", "jsonify": null, "seed": 0}','Rewrite the text for readers who are new to the subject.',NULL,'[{"path": "rivers.md", "run_id": "01M847BFCKNSCYKS1Q2BXEWV3H", "document_id": "01M847BFD2R3TZAETBCZ834ZBG"}, {"path": "wind.md", "run_id": "01M847BFCKNSCYKS1Q2BXEWV3H", "document_id": "01M847BFD2R3TZAETBCZ834ZBH"}]','{"calls": 13, "usd": 0.067981}',0,'2025-11-23 12:51:07.846768',NULL,'default',NULL,0,0,NULL);
CREATE TABLE tenants (
	tenant_id VARCHAR(32) NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	created_at DATETIME NOT NULL, 
	PRIMARY KEY (tenant_id)
);
INSERT INTO "tenants" VALUES('default','default','2025-11-23 12:51:03');
CREATE TABLE waits (
	run_id VARCHAR(32) NOT NULL, 
	provider VARCHAR(100) NOT NULL, 
	reason VARCHAR(300) NOT NULL, 
	units INTEGER NOT NULL, 
	until DATETIME, 
	tenant_id VARCHAR(32) NOT NULL, 
	PRIMARY KEY (run_id, provider), 
	FOREIGN KEY(run_id) REFERENCES runs (run_id)
);
CREATE TABLE workers (
	tenant_id VARCHAR(32) NOT NULL, 
	owner VARCHAR(128) NOT NULL, 
	host VARCHAR(255) NOT NULL, 
	pid INTEGER NOT NULL, 
	name VARCHAR(255) NOT NULL, 
	queues JSON NOT NULL, 
	threads INTEGER NOT NULL, 
	in_flight INTEGER NOT NULL, 
	started_at DATETIME NOT NULL, 
	seen_at DATETIME NOT NULL, 
	last_task_at DATETIME, 
	sweep_at DATETIME, 
	version VARCHAR(32) NOT NULL, 
	PRIMARY KEY (owner)
);
CREATE INDEX runs_by_key ON runs (tenant_id, "key");
CREATE INDEX documents_by_key ON documents (tenant_id, "key", state);
CREATE INDEX artifacts_by_run ON artifacts (run_id, state);
CREATE INDEX elo_ratings_by_run ON elo_ratings (run_id, rating);
CREATE INDEX eval_results_by_document ON eval_results (document_id, state);
CREATE INDEX eval_results_by_run ON eval_results (run_id, state);
CREATE INDEX pairwise_comparisons_by_document ON pairwise_comparisons (document_id, state);
CREATE INDEX pairwise_comparisons_by_run ON pairwise_comparisons (run_id, state);
CREATE INDEX events_by_run ON events (run_id, event_id);
CREATE INDEX reports_by_run ON reports (run_id);
CREATE INDEX calls_by_digest ON calls (tenant_id, digest, iteration);
CREATE INDEX calls_by_run ON calls (run_id, state);
CREATE INDEX calls_by_unit ON calls (unit_id);
CREATE INDEX workers_by_seen ON workers (seen_at);
CREATE INDEX runs_by_state ON runs (state);
CREATE INDEX documents_by_run ON documents (run_id, state);
CREATE INDEX artifacts_to_publish ON artifacts (run_id, published_at) WHERE state = 'planned';
CREATE INDEX artifacts_by_owner ON artifacts (owner) WHERE state = 'claimed';
CREATE INDEX eval_results_to_publish ON eval_results (run_id, published_at) WHERE state = 'planned';
CREATE INDEX eval_results_by_owner ON eval_results (owner) WHERE state = 'claimed';
CREATE INDEX pairwise_comparisons_to_publish ON pairwise_comparisons (run_id, published_at) WHERE state = 'planned';
CREATE INDEX pairwise_comparisons_by_owner ON pairwise_comparisons (owner) WHERE state = 'claimed';
CREATE INDEX calls_by_owner ON calls (owner) WHERE state = 'started';
COMMIT;
