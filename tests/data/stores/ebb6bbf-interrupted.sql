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
INSERT INTO "artifacts" VALUES('01M847BRX8TH0BPA1EEQEXDMSE','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','fpf',1,1,1,'alpha','m1','[]','# Rivers

What follows gathers the essentials of Rivers. It takes the given facts first and then draws the consequences one by one.

## Where things stand

Looked at from outside, the first point is that a river carries water from the hills to the sea. Beside this, a river carries water from the hills to the sea. According to the source, a river carries water from the hills to the sea. Readers in a hurry may stop here and go to the list. None of them stands alone. It is worth repeating that a river carries water from the hills to the sea.

## Details

Read more closely, it turns out that a river carries water from the hills to the sea. According to the source, a river carries water from the hills to the sea. It is worth repeating that a river carries water from the hills to the sea. Here a river carries water from the hills to the sea. The source notes that a river carries water from the hills to the sea. It is worth repeating that a river carries water from the hills to the sea. Beside this, a river carries water from the hills to the sea. It is recorded that a river carries water from the hills to the sea. Here a river carries water from the hills to the sea. This has been so for some time.

## Main points

- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.

## In practice

In daily practice it comes down to this: a river carries water from the hills to the sea. One point still to be settled is how far this holds elsewhere. Each of these points can be checked against the original. Equally, a river carries water from the hills to the sea. It is recorded that a river carries water from the hills to the sea. More precisely, a river carries water from the hills to the sea. The source notes that a river carries water from the hills to the sea.

## Conclusion

Taken as a whole, the material supports one conclusion: a river carries water from the hills to the sea.','rivers.fpf.1.m1.tv3.md','default','done',1,NULL,NULL,1,'2025-11-23 12:51:13.447569',NULL,NULL,'2025-11-23 12:51:13.447569','2025-11-23 12:51:13.801333','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,NULL);
INSERT INTO "artifacts" VALUES('01M847BRX9TPMZHVE5KY39S4C8','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','fpf',2,1,2,'alpha','m2','[]','# Rivers

What follows gathers the essentials of Rivers. It opens with the given facts and then draws the consequences one by one.

## Where things stand

From some distance, the first point is that a river carries water from the hills to the sea. It is recorded that a river carries water from the hills to the sea. Readers in a hurry may stop here and go to the list. The same passage adds that a river carries water from the hills to the sea. The source notes that a river carries water from the hills to the sea. The same passage adds that a river carries water from the hills to the sea.

## Details

Read more closely, it turns out that a river carries water from the hills to the sea. The document also says that a river carries water from the hills to the sea. The same passage adds that a river carries water from the hills to the sea. Where the source is silent, so is this text. Here a river carries water from the hills to the sea. It is worth repeating that a river carries water from the hills to the sea. The document also says that a river carries water from the hills to the sea. The figures are those of the source and were not rounded. Readers in a hurry may stop here and go to the list. More precisely, a river carries water from the hills to the sea. Equally, a river carries water from the hills to the sea.

## At a glance

- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.

## What it means

In daily practice it comes down to this: a river carries water from the hills to the sea. It is still to be settled how far this holds elsewhere. It is recorded that a river carries water from the hills to the sea. Each of these points can be checked against the original. According to the source, a river carries water from the hills to the sea. Readers in a hurry may stop here and go to the list. It is worth repeating that a river carries water from the hills to the sea.

## Conclusion

On balance, the material supports one conclusion: a river carries water from the hills to the sea.','rivers.fpf.2.m2.qjx.md','default','done',1,NULL,NULL,1,'2025-11-23 12:51:13.447569',NULL,NULL,'2025-11-23 12:51:13.447569','2025-11-23 12:51:13.794789','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,NULL);
INSERT INTO "artifacts" VALUES('01M847BRY23A7HK8YPA424X59Z','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','fpf',1,1,1,'alpha','m1','[]','# Wind

The text below gathers the essentials of Wind. It starts from the facts as given and then draws the consequences one by one.

## Context

Seen from the outside, the first point is that Warm air rises, and cold air takes its place. Equally, Warm air rises, and cold air takes its place. More precisely, Warm air rises, and cold air takes its place. Equally, Warm air rises, and cold air takes its place. The order in which they are given is deliberate. According to the source, Warm air rises, and cold air takes its place.

## Details

Read more closely, it turns out that Warm air rises, and cold air takes its place. Each of these points can be checked against the original. That is less obvious than it sounds. According to the source, Warm air rises, and cold air takes its place. The document also says that Warm air rises, and cold air takes its place. Equally, Warm air rises, and cold air takes its place. More precisely, Warm air rises, and cold air takes its place. Beside this, Warm air rises, and cold air takes its place. Equally, Warm air rises, and cold air takes its place. The document also says that Warm air rises, and cold air takes its place.

## Main points

- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.

## Consequences

For practical purposes this means that Warm air rises, and cold air takes its place. Yet to be settled is how far this holds elsewhere. This has been so for some time. According to the source, Warm air rises, and cold air takes its place. The document also says that Warm air rises, and cold air takes its place. According to the source, Warm air rises, and cold air takes its place.

## Outcome

Considered together, the material supports one conclusion: Warm air rises, and cold air takes its place.','wind.fpf.1.m1.fll.md','default','done',1,NULL,NULL,1,'2025-11-23 12:51:13.473703',NULL,NULL,'2025-11-23 12:51:13.473703','2025-11-23 12:51:13.822504','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,NULL);
INSERT INTO "artifacts" VALUES('01M847BRY23A7HK8YPA424X5A0','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','fpf',2,1,2,'alpha','m2','[]','# Wind

What follows gathers the essentials of Wind. It begins with the facts as given and then draws the consequences one by one.

## Background

Seen from the outside, the first point is that Warm air rises, and cold air takes its place. The same passage adds that Warm air rises, and cold air takes its place. Readers in a hurry may stop here and go to the list. According to the source, Warm air rises, and cold air takes its place. That is less obvious than it sounds. Here Warm air rises, and cold air takes its place. Here Warm air rises, and cold air takes its place.

## In detail

Read more closely, it turns out that Warm air rises, and cold air takes its place. The same passage adds that Warm air rises, and cold air takes its place. More precisely, Warm air rises, and cold air takes its place. It is worth repeating that Warm air rises, and cold air takes its place. The same passage adds that Warm air rises, and cold air takes its place. It is worth repeating that Warm air rises, and cold air takes its place. The document also says that Warm air rises, and cold air takes its place. Here Warm air rises, and cold air takes its place. It is worth repeating that Warm air rises, and cold air takes its place. The source notes that Warm air rises, and cold air takes its place.

## In short

- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.

## What it means

In everyday practice this means that Warm air rises, and cold air takes its place. One point still to be settled is how far this holds elsewhere. The same passage adds that Warm air rises, and cold air takes its place. The figures are those of the source and were not rounded. The document also says that Warm air rises, and cold air takes its place. Where the source is silent, so is this text. The document also says that Warm air rises, and cold air takes its place.

## Summary

Considered together, the material supports one conclusion: Warm air rises, and cold air takes its place.','wind.fpf.2.m2.29w.md','default','done',1,NULL,NULL,1,'2025-11-23 12:51:13.473703',NULL,NULL,'2025-11-23 12:51:13.473703','2025-11-23 12:51:13.821738','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,NULL);
INSERT INTO "artifacts" VALUES('01M847BT09D7K22NG8EXCQ1PAD','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','combine',1,1,1,'alpha','m1','["01M847BRY23A7HK8YPA424X59Z", "01M847BRY23A7HK8YPA424X5A0"]','# Wind

The text below gathers the essentials of Wind. It starts from the facts as given and then draws the consequences one by one.

## Context

Seen from the outside, the first point is that Warm air rises, and cold air takes its place. The order in which they are given is deliberate. The source notes that Warm air rises, and cold air takes its place. Where the source is silent, so is this text. It is recorded that Warm air rises, and cold air takes its place. According to the source, Warm air rises, and cold air takes its place. The source notes that Warm air rises, and cold air takes its place.

## Details

A more careful reading reveals that Warm air rises, and cold air takes its place. More precisely, Warm air rises, and cold air takes its place. The document also says that Warm air rises, and cold air takes its place. The order in which they are given is deliberate. It is recorded that Warm air rises, and cold air takes its place. Beside this, Warm air rises, and cold air takes its place. The figures are those of the source and were not rounded. It is worth repeating that Warm air rises, and cold air takes its place. Here Warm air rises, and cold air takes its place. Equally, Warm air rises, and cold air takes its place. Equally, Warm air rises, and cold air takes its place. Equally, Warm air rises, and cold air takes its place.

## At a glance

- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.

## Consequences

For practical purposes this means that Warm air rises, and cold air takes its place. One point still to be settled is how far this holds elsewhere. The source notes that Warm air rises, and cold air takes its place. It is worth repeating that Warm air rises, and cold air takes its place. Equally, Warm air rises, and cold air takes its place. The source notes that Warm air rises, and cold air takes its place. The source notes that Warm air rises, and cold air takes its place.

## Conclusion

Considered together, the material supports one conclusion: Warm air rises, and cold air takes its place.','wind.combine.1.m1.hjj.md','default','done',1,NULL,NULL,1,'2025-11-23 12:51:14.547005',NULL,NULL,'2025-11-23 12:51:14.547005','2025-11-23 12:51:14.905477','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,NULL);
INSERT INTO "artifacts" VALUES('01M847BT18ANJ4YXMFJ97Y1BYM','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','combine',1,1,1,'alpha','m2','["01M847BRX9TPMZHVE5KY39S4C8", "01M847BRX8TH0BPA1EEQEXDMSE"]','# Rivers

What follows gathers the essentials of Rivers. It opens with the given facts and then draws the consequences one by one.

## Where things stand

Looked at from outside, the first point is that a river carries water from the hills to the sea. More precisely, a river carries water from the hills to the sea. Beside this, a river carries water from the hills to the sea. The order in which they are given is deliberate. The same passage adds that a river carries water from the hills to the sea. Here a river carries water from the hills to the sea. Here a river carries water from the hills to the sea. The same passage adds that a river carries water from the hills to the sea. That is less obvious than it sounds. None of them stands alone.

## What the source says

A closer reading shows that a river carries water from the hills to the sea. The source notes that a river carries water from the hills to the sea. Each of these points can be checked against the original. Beside this, a river carries water from the hills to the sea. The source notes that a river carries water from the hills to the sea. According to the source, a river carries water from the hills to the sea. Here a river carries water from the hills to the sea. The same passage adds that a river carries water from the hills to the sea. The source notes that a river carries water from the hills to the sea. Here a river carries water from the hills to the sea. The document also says that a river carries water from the hills to the sea. Equally, a river carries water from the hills to the sea. Equally, a river carries water from the hills to the sea. Beside this, a river carries water from the hills to the sea. Equally, a river carries water from the hills to the sea. The same passage adds that a river carries water from the hills to the sea.

## In short

- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.

## In practice

In daily practice it comes down to this: a river carries water from the hills to the sea. One point still to be settled is how far this holds elsewhere. The source notes that a river carries water from the hills to the sea. The source notes that a river carries water from the hills to the sea. According to the source, a river carries water from the hills to the sea. More precisely, a river carries water from the hills to the sea. Readers in a hurry may stop here and go to the list. The source notes that a river carries water from the hills to the sea. More precisely, a river carries water from the hills to the sea. Here a river carries water from the hills to the sea.

## Summary

Considered together, the material supports one conclusion: a river carries water from the hills to the sea.','rivers.combine.1.m2.8hr.md','default','done',1,NULL,NULL,1,'2025-11-23 12:51:14.589527',NULL,NULL,'2025-11-23 12:51:14.589527','2025-11-23 12:51:14.913593','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,NULL);
INSERT INTO "artifacts" VALUES('01M847BXS101R0DKTB59W74WTB','01M847BX75Y4VHN93156JPGCR8','01M847BX7STJ70TQN4VK84Q4F5','fpf',1,1,1,'alpha','m1','[]','# Snow

The text below gathers the essentials of Snow. It starts from the facts as given and then draws the consequences one by one.

## Context

Seen from the outside, the first point is that Snow falls where the air is colder than ice melts. More precisely, Snow falls where the air is colder than ice melts. Where the source is silent, so is this text. It is recorded that Snow falls where the air is colder than ice melts. The document also says that Snow falls where the air is colder than ice melts. The source notes that Snow falls where the air is colder than ice melts. Here Snow falls where the air is colder than ice melts. The same passage adds that Snow falls where the air is colder than ice melts. It is recorded that Snow falls where the air is colder than ice melts. This has been so for some time.

## Details

A more careful reading reveals that Snow falls where the air is colder than ice melts. It is worth repeating that Snow falls where the air is colder than ice melts. It is recorded that Snow falls where the air is colder than ice melts. It is recorded that Snow falls where the air is colder than ice melts. Where the source is silent, so is this text. The source notes that Snow falls where the air is colder than ice melts. Here Snow falls where the air is colder than ice melts. Here Snow falls where the air is colder than ice melts. It is recorded that Snow falls where the air is colder than ice melts. It is recorded that Snow falls where the air is colder than ice melts. It is worth repeating that Snow falls where the air is colder than ice melts. Where the source is silent, so is this text. The document also says that Snow falls where the air is colder than ice melts. It is recorded that Snow falls where the air is colder than ice melts. Here Snow falls where the air is colder than ice melts. The order in which they are given is deliberate. It is worth repeating that Snow falls where the air is colder than ice melts. That is less obvious than it sounds. Here Snow falls where the air is colder than ice melts.

## At a glance

- Snow falls where the air is colder than ice melts.
- Snow falls where the air is colder than ice melts.
- Snow falls where the air is colder than ice melts.
- Snow falls where the air is colder than ice melts.
- Snow falls where the air is colder than ice melts.
- Snow falls where the air is colder than ice melts.

## What it means

For day-to-day work this means that Snow falls where the air is colder than ice melts. It is still to be settled how far this holds elsewhere. Beside this, Snow falls where the air is colder than ice melts. The document also says that Snow falls where the air is colder than ice melts. According to the source, Snow falls where the air is colder than ice melts. Readers in a hurry may stop here and go to the list. Readers in a hurry may stop here and go to the list. It is recorded that Snow falls where the air is colder than ice melts. Here Snow falls where the air is colder than ice melts. Here Snow falls where the air is colder than ice melts. The source notes that Snow falls where the air is colder than ice melts.

## Outcome

Taken as a whole, the material supports one conclusion: Snow falls where the air is colder than ice melts.','snow.fpf.1.m1.xyg.md','default','done',1,NULL,NULL,1,'2025-11-23 12:51:18.433022',NULL,NULL,'2025-11-23 12:51:18.433022','2025-11-23 12:51:18.771184','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,NULL);
INSERT INTO "artifacts" VALUES('01M847BXS2WAVTMFG6Y8FBN72G','01M847BX75Y4VHN93156JPGCR8','01M847BX7STJ70TQN4VK84Q4F5','fpf',2,1,2,'alpha','m2','[]','# Snow

What follows gathers the essentials of Snow. It starts from the facts as given and then draws the consequences one by one.

## Context

Seen from the outside, the first point is that Snow falls where the air is colder than ice melts. More precisely, Snow falls where the air is colder than ice melts. According to the source, Snow falls where the air is colder than ice melts. Beside this, Snow falls where the air is colder than ice melts. Equally, Snow falls where the air is colder than ice melts. The same passage adds that Snow falls where the air is colder than ice melts.

## Details

Read more closely, it turns out that Snow falls where the air is colder than ice melts. That is less obvious than it sounds. Here Snow falls where the air is colder than ice melts. It is recorded that Snow falls where the air is colder than ice melts. None of them stands alone. Equally, Snow falls where the air is colder than ice melts. Equally, Snow falls where the air is colder than ice melts. It is worth repeating that Snow falls where the air is colder than ice melts. According to the source, Snow falls where the air is colder than ice melts. Readers in a hurry may stop here and go to the list. Here Snow falls where the air is colder than ice melts. The order in which they are given is deliberate.

## In short

- Snow falls where the air is colder than ice melts.
- Snow falls where the air is colder than ice melts.
- Snow falls where the air is colder than ice melts.

## Next steps

For day-to-day work this means that Snow falls where the air is colder than ice melts. It is still to be settled how far this holds elsewhere. Here Snow falls where the air is colder than ice melts. Equally, Snow falls where the air is colder than ice melts. Readers in a hurry may stop here and go to the list. Beside this, Snow falls where the air is colder than ice melts. It is worth repeating that Snow falls where the air is colder than ice melts.

## Outcome

On balance, the material supports one conclusion: Snow falls where the air is colder than ice melts.','snow.fpf.2.m2.ncz.md','default','done',1,NULL,NULL,1,'2025-11-23 12:51:18.433022',NULL,NULL,'2025-11-23 12:51:18.433022','2025-11-23 12:51:18.769023','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,NULL);
INSERT INTO "artifacts" VALUES('01M847BYTRWH96X9K90FK2C09M','01M847BX75Y4VHN93156JPGCR8','01M847BX7STJ70TQN4VK84Q4F5','combine',1,1,1,'alpha','m1','["01M847BXS101R0DKTB59W74WTB", "01M847BXS2WAVTMFG6Y8FBN72G"]','# Snow

The text below gathers the essentials of Snow. It starts from the facts as given and then draws the consequences one by one.

## Where things stand

Looked at from outside, the first point is that Snow falls where the air is colder than ice melts. Equally, Snow falls where the air is colder than ice melts. The same passage adds that Snow falls where the air is colder than ice melts. It is recorded that Snow falls where the air is colder than ice melts. Here Snow falls where the air is colder than ice melts. Where the source is silent, so is this text. That is less obvious than it sounds. The same passage adds that Snow falls where the air is colder than ice melts. The document also says that Snow falls where the air is colder than ice melts.

## What the source says

Read more closely, it turns out that Snow falls where the air is colder than ice melts. This has been so for some time. The same passage adds that Snow falls where the air is colder than ice melts. Each of these points can be checked against the original. Each of these points can be checked against the original. More precisely, Snow falls where the air is colder than ice melts. The source notes that Snow falls where the air is colder than ice melts. The same passage adds that Snow falls where the air is colder than ice melts. The document also says that Snow falls where the air is colder than ice melts. Beside this, Snow falls where the air is colder than ice melts. The figures are those of the source and were not rounded. The source notes that Snow falls where the air is colder than ice melts. Beside this, Snow falls where the air is colder than ice melts. According to the source, Snow falls where the air is colder than ice melts. Here Snow falls where the air is colder than ice melts. The figures are those of the source and were not rounded.

## Points to keep

- Snow falls where the air is colder than ice melts.
- Snow falls where the air is colder than ice melts.
- Snow falls where the air is colder than ice melts.

## Next steps

In daily practice it comes down to this: Snow falls where the air is colder than ice melts. One point still to be settled is how far this holds elsewhere. The figures are those of the source and were not rounded. Equally, Snow falls where the air is colder than ice melts. Beside this, Snow falls where the air is colder than ice melts. According to the source, Snow falls where the air is colder than ice melts. Beside this, Snow falls where the air is colder than ice melts. Equally, Snow falls where the air is colder than ice melts. According to the source, Snow falls where the air is colder than ice melts. According to the source, Snow falls where the air is colder than ice melts.

## Outcome

Taken as a whole, the material supports one conclusion: Snow falls where the air is colder than ice melts.',NULL,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:19.485730',NULL,NULL,'2025-11-23 12:51:19.485730','2025-11-23 12:51:19.855399','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,NULL);
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
INSERT INTO "calls" VALUES('01M847BRYA3VXTMCQ1E75JKMAG','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','01M847BRX9TPMZHVE5KY39S4C8','artifact','main',1,'alpha','m2','6c44a69cc434445270077baa9bcbe783f006ea830ae13f3e2a4934eab930b647',1,'done',0,1,200,'stop',115,541,0,NULL,0,0.002279,'config','chatcmpl-cce8d0a8d22cb30fe1882489','req_07a0228830f027aec8ac89e6',0.0,'2025-11-23 12:51:13.482352','2025-11-23 12:51:13.794296',NULL,NULL,X'789CCD55416EDC300CBCFB150472DDEE037A5BB4299A43112028903323D3B650597424B9AE7FDFA19C6E735D670F7BB1615A3322A919EA8E9EFC6F49B9699E072ED46908BA64EAB90C88129E24394B2C9E4326EDDE961FE9A1904E12332DBE0C755D8F3F913A762513C7D66291DAC4CB46E33466799D253A0151147A59ED756C9ABB3B7AC66E82653EF6997201BC69BE251D29EB28D47A0B393954A2CEA75C68521F0B79E346DE4CC9F222C72979F02F5CF0D5198341061F907DD1FA91856BFAC026719A5A6977923C09B7D6251F811DE694561A7945FE3A512DC8DAD0EB3F4C401947FA6968465513E7CC3D16B5EDDE2A2A97CEC909452DF2219AEBA4544FF3AB14F6019AB206D1A8E8840B9A25AC07F285CA9CA01B9DCB07D26DD5CD23644990A522F9F5066A3FABF87C289058F601691E10D9C46A0FF9031D7CAF02D9A7DB45134C9764122EB0CCADF4B1F3FD9CB0986B1770E03630DEB5C3ECB058D9102B259D23ACB7D3453F4C5413FCEB37595D9CEFFDEBCC610FB22AFC641DEA830DA5A6F944A74B396E16B20D6308003E1D85234CFC80290E3BAF683766BB3759174CF31174AD2E7183FBFC79AF9873C10F8BBF58B89480793CE8829B246D7E1934C09212B22CA6872B0DEF7B76C39B3E21D47A9D64A0A3A5E10671BFC0CC3DFB984B0569F2BD8F1C8E7472B671F59DBE93F70E11EE92FE1547403DEE2F1A5D98B3D7D8348F289FC3FFBB7634025CFD94E769C28EDBCDEDCE88CB0FBDF90BE016F956','laptop:30500:01M847BRMPC5QQ2BAFSD91XW9N','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BRYC7S47NXAEDR3KENB5','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','01M847BRX8TH0BPA1EEQEXDMSE','artifact','main',1,'alpha','m1','8759c9d3d6fdc23d97a33e9d3cf7165d7835e557f7b1e01a09aca591cf9dbba8',1,'done',0,1,200,'stop',115,524,0,NULL,0,0.002211,'config','chatcmpl-e03677caa259845147a6fcb0','req_a732a1c2bf206b8345fbf832',0.0,'2025-11-23 12:51:13.484610','2025-11-23 12:51:13.800734',NULL,NULL,X'789CDD55C16EDB300CBDEB2B08E49AE503766BB7012BB06E4051A06745666CA1B2E88A728DFCFD1EE52CF764C10AEC6243941E493D528F1B7A8AEF5CD4B997C1573A484AB228F5BE0EB012BEC4AA9C6BF449490EA7E33B7AA854FD2BAF477A18331D7CA84A8758B492CF9DED64EA8A5FD64341B2F2DBCC39002599697FB4DFCEB9CD865E108E712CE65E492BE0CEFD1079E58E2CAD2223C95C3576BC6DCED62893C45C299A7F9CF2542C390ABE9488188BAF5835AC41869870852A6DA1EC7774CFE6D0A2EAF672F45D08523A247CB6CA5C025FE1E9897D676CC70CEC309772A4D11F41834CD47831367BF9834951EB8E7E1A8528082CE3CA98924F46A8D5069C2C52EA408527F6B565790D47AD385FB9FA98D02396288D828C4212E574DC52441FCC25AB95E7CA32DC8EC81B5E9CBE37E22F453D9FD3A72C95AFEDCC5B5EE4EFBA7CCDA4B09588BB7FCC25220F5E69CF101215A853C16FC45DE278D28D478F47D36400EDF989EE2E6DEFFF09627C3C808D021D8E819DC3A2C3C33D9E4DF65A030854EA64C92B38EAE7CB4BF30BDAB38AAF566CDADEDEB66A4D68122B9B2C9807A5F9C722419C38292F26673BFAE6C370D22E3D395204CFE6240C1C9AECF728ADD616534AEC63F609C8B7D927D39D8F69E447D3BE094EE2AA7E1FA40FADD45F2487346B94ECDC334631860726002D60FB3424477383C14D3A4F13B4641DBBE18CBBBCF0EE37BDAFE18B','laptop:30500:01M847BRMPC5QQ2BAFSD91XW9N','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BRZ1H83SH6CDJ54DY16T','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','01M847BRY23A7HK8YPA424X59Z','artifact','main',1,'alpha','m1','bc2b92df0b227d35eb26bcd27c9cbd5cb6c94d38e143f3192dbbbd107c40fedd',1,'done',0,1,200,'stop',114,488,0,NULL,0,0.002066,'config','chatcmpl-5fbf1b94583c704e3d73b238','req_7c1d43c428710a6582f5ac47',0.0,'2025-11-23 12:51:13.506044','2025-11-23 12:51:13.822284',NULL,NULL,X'789CD5554D6B1B410CBDCFAF10F8EAFA07F4D6F4037A0881B610729467B5BB22B3A3CD4813D7FFBE9AD990BB8D29E4E2C583BEDFD3D30E1E390F21FC99098CFE1A1C29C90926B4998A82FF02A95236C6A42063373FC04F03352CA6301659BAD988D1FFA2C2C4AF9401F3D09E330C054F5BA02859E9A5528EE4A132C1F1DC3E8710763BF82AB9E50FE137B9D37B54A9A63CD07E4BC1450D56E16CC02D261A3C625900B9406125DDF7BC51D2D0DF0C9F3D157B5D6BC24807F8FE5231A5F3FE42B77B29046BA1E8C6977B5F99B4412265A0029CE134739CDB10CE805ECB36639FC140898F54D0DCE14B8C6ECF7902933E2F955A225D98B7A3F18D0C396908BF0807585AFB31C9D63C1B582D591B36576180DE8933C92B54DAD05488989D7A10678ACFE48E137256DB285078E28CA94D043BF0C92909727C65A99D05B9D5E4CDE6416F35853EFD41625D9CFBE0DC17503C7F1CCEDD515B1B2F97F53FD2F52603EB04BC77FCDFB811C2A70B037C74FB373D7C17CB107E48712EB8C272C4046B2DAB2FA376786121CC5711F389ACED88AF9D9259F2B5F368B3ABFF88650B3DBBAF0225A5939F830E727B75913F3695768C472F4C6571A6F1723309BAE1F2DD50131FAA45EF3484068D2F57F181994CD42EE5769F1697E1E28712B4AEABB4EBD8AE9C9FBD98AAB2E4CF1766FD074C86A598','laptop:30500:01M847BRMPC5QQ2BAFSD91XW9N','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BRZ499J55Y9JYYVV9BJ2','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','01M847BRY23A7HK8YPA424X5A0','artifact','main',1,'alpha','m2','03e63ad543fd12042422805a0ea8ae038a2c37be6344c265d1b2a8e1d8d6b6db',1,'done',0,1,200,'stop',114,551,0,NULL,0,0.002318,'config','chatcmpl-0abb25f09cfd2f1ca6656fba','req_cad16fb6fde7295f9d637667',0.0,'2025-11-23 12:51:13.508289','2025-11-23 12:51:13.821254',NULL,NULL,X'789CE556B18EDB300CDDF515046E4DF301DDDA2ECD5014E81D909991185B3859F489545CFF7D291987767510E0862E362088E4231FC9A72738C71C9C3B8FA870E59478111850472A02F60512A1AC1193005FFBE5239C142E34C42CB0441DFBB52B7A1540B38D37CA8039B4E30CA1E0B239F29C85DE2A654FE62A135CD6F63B3AF7F4045FD1BF0E856B83F24C66772D3C7533AE2A31D0618B128B28CC1CB3426C6E0DF419CB04180B942824871EDA730AFD4CF1D5A245833627F4748417F3223811CC28820301867097A35F84A1D5285AB230D65256987005519EC18A47DD7C6050EEC853143DC217EFB9849887F763E15ABC25B73709ECF9272307F8728B5C7B0ED92E359739C811BE3710FBFCEE37E9E49D8C66528CC9B9561598D8DCF8C442693D34485A8BF58A31F9A18CFD68B0E6423E6EC0F6599F7AC5172ED6F0856642ED347E603E0F4514D8D7C9061D6CD0D9F0AD7741BAA3E71E5BD73E4E9059E91EFCEFDD2CA3C171EED34EEBFFED7EAB56D70D1BF189308B73563CBA515983ADC2B9982644A3434763B85FB887D79F2615DBC6178D29B5CD7931A649355168BD33F262F253B630A3F911A024B4B42DFCC0717BE9FA33D462C7585A56B6E09A26FEDDE3DDC3D266C03A10BA9C5178E47C9DBBB2FC13D0329698CCEFC14E36496C1FFAAD0F0CDB897EAED3846575EE9BE9B80972B1E22B0FD45E0A9B384FA854ECA10052E7D906685379937D9FAA44CE9F7746FD03F329FE47','laptop:30500:01M847BRMPC5QQ2BAFSD91XW9N','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BS9AJ1K1J4PYDXZXB0A1','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','01M847BS89MV2YSB26RAKKZ0BC','evaluation','main',1,'alpha','j1','3b810ea8f3dfe637e5eeb3073a01304a5ed2a0c21826633b805bfd83586bf5ab',1,'done',0,1,200,'stop',1275,102,0,NULL,0,0.001683,'config','chatcmpl-6e0f9fdf423094c496647033','req_610829e675d6967ef0807807',0.0,'2025-11-23 12:51:13.834368','2025-11-23 12:51:14.148670',NULL,NULL,X'789C95CF4D0AC3400805E0AB88EBD06D612ED00BF402626D2B4C348CD3D01072F7CEA27F816CB294F7FCD01989F95188274C3316A170C38427F70BB8C1274C6DC813444F39C3E06A35808A800F6207EC30D88B603A2E1DB2F743962A26119BE67F618F9BA968DD3EF39DEDD08A6419C95836BD6FBA43BC7AE9A956B5DB8A3CDF05AA3C2B68B4CF6D54E3560135D066FD9656DAF20274898E29','laptop:30500:01M847BRMPC5QQ2BAFSD91XW9N','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BS9CRTVXJ2CFDWYT1521','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','01M847BS8234RNKY52S441V0G8','evaluation','main',1,'alpha','j1','ff89af8fb1ca9962e57ccf25cbd013e67ef364b195266d4e9b3a59b224f71527',1,'done',0,1,200,'stop',1292,101,0,NULL,0,0.001696,'config','chatcmpl-d1b6b26d48bdce78947e683d','req_122442676c1156c93bb1952d',0.0,'2025-11-23 12:51:13.836197','2025-11-23 12:51:14.138529',NULL,NULL,X'789C958F510AC2400C44AF12F25DFC55F6025EC00B841875619B94DD582CA5776F8B6855FA513F33C3BCCCF448CCF74CDC61E8310B15530C78343B8329BCCC301DA98352534AD058542F4059C01AD11D5658D8B260380C15B2D54D12179552BE98A79B80CBC3211660D3362A47BD4254883E2B4BEC83B89F898972F4EE1FD833F1D32C4B9296946575EADBDDB8756E76B15C93FBF47915B9D89B99C30835BB8C20','laptop:30500:01M847BRMPC5QQ2BAFSD91XW9N','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BS9ERGPYGE51NXS9TXV7','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','01M847BS8XP4NVMJMGFAXB1N5Y','evaluation','main',1,'alpha','j1','c5c9a9bd58860605dd5f8faf227101e02074ec48c1c8087cbcce01dd1a852506',1,'done',0,1,200,'stop',1301,99,0,NULL,0,0.001697,'config','chatcmpl-8cec7a97d2a38c8a9f47fa2a','req_ea793bd01f153fcdbb8b0d82',0.0,'2025-11-23 12:51:13.838611','2025-11-23 12:51:14.147576',NULL,NULL,X'789C958E4B0EC2400840AF4258372E5DCC05BC801720883AC9141A061B9BA677B726FEDAB8E916788F372231DF9C78C034A20B55534C78BC0A84DC03720536EDB372D60B64851C15DEC80E1BAC6C2E98F653836C6D572444A5D685ED60760253F83D48F3A00C505B2A053ACBFAF4BA8075A26B6F21CFB125F045AC3C2E457A5296BF719FED86B2B3794B11F3E70D715F68619B1EF6988A0E','laptop:30500:01M847BRMPC5QQ2BAFSD91XW9N','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BS9WZVEEMTYGTF1VB67S','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','01M847BS8Y8Q7YG3XEW804YJTD','evaluation','main',1,'alpha','j1','98de602ff8e7619463b03209955128a230f98dc19bcf983220c029e1240f6bd1',1,'done',0,1,200,'stop',1237,105,0,NULL,0,0.001657,'config','chatcmpl-281eac6f20f0f22f44c2ca4e','req_9b2b6f4e30d5c22648648af1',0.0,'2025-11-23 12:51:13.852840','2025-11-23 12:51:14.156052',NULL,NULL,X'789C958ECD0A83400C065F25E42C3D97BD17FA1AE91AEBC29A946C6C2BE2BB57E8BFE0C16B32DF3023528CBD511C308C684C4505031EC9EA3C00C9E06D9233B802D535D0497B87F762871596A8C618F6538551BB4B6667E152FE64877BE49C591C54E0970A20FAF46B03374EE7D62115E85229F371A9CF64C93764BE060B8D71E62B49E4F5C40FB2A9AF51EBC87D7EAC9BBFCC06F5F400F1329438','laptop:30500:01M847BRMPC5QQ2BAFSD91XW9N','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BSNMAAMMTSD31KWT30DS','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','01M847BSMJP3HGSNQFKR1DWVJ7','comparison','main',1,'alpha','j1','eb42721f7aac3f2dca3f411b2f31b5240793a4dd10697d745c5e0eb1dc860334',1,'done',0,1,200,'stop',1632,27,0,NULL,0,0.00174,'config','chatcmpl-acba4aed3e815f9fe9522672','req_39872991da5839b7afd5acef',0.0,'2025-11-23 12:51:14.228694','2025-11-23 12:51:14.531461',NULL,NULL,X'789C0DCC4B0AC3300C45D1AD3C342EA1A34033CC1ABA81E03CB7025702D9F99492BDD7C33B38F727C1A5BAA9BD649227CF8619C97746457B13D5B748C4C783C85B295F2CB6422BBA52069A237B297E0C729343CD18FD33F7486E59575AA24CF7617C5C7FF44B247F','laptop:30500:01M847BRMPC5QQ2BAFSD91XW9N','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BSNPEQGFZHN853CCZQFS','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','01M847BSMJP3HGSNQFKR1DWVJ6','comparison','main',1,'alpha','j1','3c76999c5f4feb85c47837714b0b2e12400b04d72bf9a484b860ea64109ef594',1,'done',0,1,200,'stop',1632,27,0,NULL,0,0.00174,'config','chatcmpl-e14e48ff6bae2d2c062682fb','req_14f57cb83f571e6ee2f1c8b8',0.0,'2025-11-23 12:51:14.230293','2025-11-23 12:51:14.540555',NULL,NULL,X'789C1D8C410A80300C04BFB2E42CE2C583DEF427B5A65AD004DA1405F1EF168F3B33EC43895D5689B2D148B3DA0E971825BBE5E0064B3118DF860931C376C6A955FBDA847240C3CFECD2961ABAA208A77A33D5E155425C593CD3D8B543FF7E9D582355','laptop:30500:01M847BRMPC5QQ2BAFSD91XW9N','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BSNYACVCJS6PBVXNTEMS','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','01M847BSN4TJD4RAKFZ1CTA57V','comparison','main',1,'alpha','j1','0866fb784a804c8f388b3ede6f366584ed0edc18d9871df25790ecf9f113f4a7',1,'done',0,1,200,'stop',1660,27,0,NULL,0,0.001768,'config','chatcmpl-408a6b5084b5e78f06409899','req_0d8e6ce3f9e8d863478bbfe2',0.0,'2025-11-23 12:51:14.238646','2025-11-23 12:51:14.561324',NULL,NULL,X'789C0DCC4B0AC3300C45D1AD3C342EA19350C82C7BE80682F3DC0A5C0964E7534AF65E0FEFE0DC9F0497EAA6F692499E3C1B6624DF1915ED4D54DF22111F0F226FA57CB1D80AADE84A19688EECA5F831C84D0E3563F4CFDC23B9655D698932DD87F171FD01F3D7247A','laptop:30500:01M847BRMPC5QQ2BAFSD91XW9N','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BSP5JDXJYXVF33BQH014','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','01M847BSN4TJD4RAKFZ1CTA57T','comparison','main',1,'alpha','j1','10c201dd18b40b60271f9624824038ca2d817f559de51d384384ae10c0e5f2c3',1,'done',0,1,200,'stop',1660,27,0,NULL,0,0.001768,'config','chatcmpl-77888ed1cab65d6b36e7cce0','req_f4e20533171b30994fccf1b1',0.0,'2025-11-23 12:51:14.245262','2025-11-23 12:51:14.562022',NULL,NULL,X'789C1D8C410A80300C04BFB2E42CA2E0C9A33FA935D58226D0A628887FB77ADC99616F4AECB24A9495469AD436B8C428D9CD3B37988BC1F8324C8819B6310EADDAD726941D1A7E66A7B6D4D01945387D37757895101716CF3476EDD03F2F9D98234E','laptop:30500:01M847BRMPC5QQ2BAFSD91XW9N','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BT1AZDKZQ42WDMQY4VQN','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','01M847BT09D7K22NG8EXCQ1PAD','artifact','main',1,'alpha','m1','550e6bcb1c6a6e26f6f819aaeaaa9bf125fa2b83f6ff2234891e63e11402ef59',1,'done',0,1,200,'stop',1586,559,0,NULL,0,0.003822,'config','chatcmpl-3f69ca7b0b4068430fe7bee1','req_5932bf27d1d98b9a01921d10',0.0,'2025-11-23 12:51:14.602084','2025-11-23 12:51:14.905040',NULL,NULL,X'789CD556C98EDB300CBDEB2B08E49AE6037A4B37B487A28716C89991695BA82C7A2869DCFC7D49390DE61A4F30402F5E04F1717B7CD20E4E2175CEFD1A090AFD2970A6C80B0C5846920CFA04CA995209183370DFB61FE05B815C504A865E786ADB7AF4FA8B1986F04C093075B69CA0135C5620CF29D353A5E449A112C1F962AF8373BB1D7CE464FE9DFB496A7443E55A72E868BFBA08920BCC1C5281609858E084320106010999F2BEF9F51CBBB656F0B7BA0A1AD71CD1D3012C4D968E044282650C7E34E00BA0D0356EC5ED2886330996AB41E62A9E2071A14D4E4F5A4A6A095C91D4470E518BBAD79535137B68FAADB2FA2DE42DCC6E8BBBA337DB900628FCC2EB7E43A95E99796BEC272A186276EE08136B1DBCD6BAAF5153C416A4D03319B73664FADDF066AD956E8E972D0976ECEBA48D008D8021E3E56D58F5FA267F201B8B469C2D79F761A8A2CBD888C9996CB45F30D4101663ADB61E846BD230FF85BDB09451839F094B63D9FDD17F35E8FB4C3E3F558CF737F94DCD1ADF8F4A261822AACA39F7EE4E80FF7DFF55C96F32EFDC17161D513D1B82C708739559D97655BC89306D1AB81F7A78ACC7402E214613BAB372974A893A4E8A3CEA19D6A3AC6E46C5C94031D3624AFC18517FD82C6C64E823727894C46BC77DAC397072CEBAAFCA24266B3C905D23D6C37B52E513BD4540AEF3CC7675B02B80BF99BEBFD3F15F6DD30A31','laptop:30500:01M847BRMPC5QQ2BAFSD91XW9N','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BT1K7B0N6P082Y1Q2MCM','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','01M847BT18ANJ4YXMFJ97Y1BYM','artifact','main',1,'alpha','m2','ceed9b1c820f06be967f3d59a05648eeef9fe8eb181ee387a6d0984f86f4cba5',1,'done',0,1,200,'stop',1612,705,0,NULL,0,0.004432,'config','chatcmpl-25adddba8f687c879e7ba8bf','req_706a9be67d0f896997e3607b',0.0,'2025-11-23 12:51:14.611078','2025-11-23 12:51:14.913235',NULL,NULL,X'789CCD56CB6EDB3010BCF32B16C835CD07F4E616051AA00F200D90334DAE25A21457E15211F4F71D5276D0AB1521C8C5321F33DC5D0C877B430FE185B31AF3D4DB4227895166A5CE961EB3845F62554E25D8A824A7F3F63BBA2F242327A53994BEEDEBB092E8645D51B2C9D7B9443EDB79A57192949F274E8E4194988E4BFDDC197373434F388DB12DA44E490BE0C6FC10F9CB9E6A54590692A968F07CDBC84E216BA151422A142A3F7659CA35367236E78033665B306AD80AE943440645DA40D9DED14FC19963661794E3727B3DC117AE11D5B07503FA117F247B6C0A89E63EB856C6856CBED41299798EE1C8195C2B40ED8098ADAAED98ACF75B73FF5EEBFD4EA83DE37EAC28D425429524C7972053A342B10AA94CC9439BBFAABCA055A086554D5064FC4F6CE0688C326557635BA0FF03B9288AD3335B0F1D92F6326F0FF3953D49E1AD34DF2C44B126A2BCCA5D814E74C47DEAD9B5FBD1D990744D4872E842B2710F69EE10FEC13908BCD6F232DB383704F41184B74B49B627E2C54D038C184A56699ADD2AAAE7C9C64D7EB71DF936396E3F77470534EBB84FD5167231E6131DAE25781FC839CC31E3210E8E8DC1C0DB1097D7A96A954E06907999D30A0EFAF9FAEAFE4E675382C962B1AE1DEB522911C604978683A221C88D1F8388DA73549EEB6BBFDB95FA7066F5E6BEE2012F50EDBED01758EAA79C171AEC8222CB48AD51AAED5527174C0C5A762BC39B83DFE4704DB57FA661B07931E62B5A45D84586888A745C5BD1B5ED1B2A0D3A51D2691C710DD746129DA58B930649D76BD8FC0308CCE49B','laptop:30500:01M847BRMPC5QQ2BAFSD91XW9N','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BTB4XBR20T90MEH2JXZB','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','01M847BTAS4ZNTGGZA78A1KTKE','evaluation','main',1,'alpha','j1','4fc922ccd876d3cf50a830bb170595bb17ddf7343a9e307b1fefb00a5dc68698',1,'done',0,1,200,'stop',1308,105,0,NULL,0,0.001728,'config','chatcmpl-4ccbb1d641e6bf050da1c58f','req_4dc3f2c87d85e2ea57a55283',0.0,'2025-11-23 12:51:14.916679','2025-11-23 12:51:15.222513',NULL,NULL,X'789C958FCB0AC2400C457F25645D5CCBEC057F234ED37660269199542DA5FF6EC16705C56E73CF3DDC8C48DEF799FC806EC4CC5454D0E1EEE2394616031578100E44AD0BD2823670E6D07606A1400AA5CCC70D5658BC6646B79D2AF49A8E918D854B59A8F794EB3800C970739902D535D0417B83F7D6A730520EF663E61D58B53273E41389E7EFDA27B24ADC684E643607FF3FFFEA2C64D3152DE39438','laptop:30500:01M847BRMPC5QQ2BAFSD91XW9N','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BTB6MXV9DBQ7V851T8R2','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','01M847BTAS4ZNTGGZA78A1KTKF','evaluation','main',1,'alpha','j1','4fc922ccd876d3cf50a830bb170595bb17ddf7343a9e307b1fefb00a5dc68698',2,'done',0,1,200,'stop',1308,105,0,NULL,0,0.001728,'config','chatcmpl-01a9ef3f0983c86a9d104e7a','req_d63a874dbf80f1ac10c28944',0.0,'2025-11-23 12:51:14.918455','2025-11-23 12:51:15.223844',NULL,NULL,X'789C958ECD0A83400C065F25E42CBD77EF85BE46BA465DD84DCA6E6C2BE2BB57E8AF05A15E93F9861991BCEF33F901DD8899A9A8A0C3C3CD738C2C062AF0221C885A17A4056DE0CAA1ED0C4281144A998F3BACB078CD8C6E3F55E8359D231B0B97B2AEFEA6B6E923E560CBE823E53A0E40323C34A640750D74D2DEE039F8D1648E7C21F1BC9EF84636F5359A1399CD8FFF133F9B856CBA035024943D','laptop:30500:01M847BRMPC5QQ2BAFSD91XW9N','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BTBWVC25ZPARFF69JR5S','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','01M847BTB1J0PC4T0JJNXEGPNW','evaluation','main',1,'alpha','j1','b9ff3fd9fd11828cac0fb42f3b7505517c440c780deb5f31123100b5de8a51a5',2,'done',0,1,200,'stop',1455,104,0,NULL,0,0.001871,'config','chatcmpl-9f7296c15a03c0aed14a7275','req_4fdad22c5ccbc988285b171f',0.0,'2025-11-23 12:51:14.940546','2025-11-23 12:51:15.242566',NULL,NULL,X'789C95CE4D0A02310C86E1AB84AC07B7422FE039428C52689392546118E6EEBAF06FD1855D86373C7C1B12F3CD89574C1BBA509862C293D9194CE11DD3F3282B44A552A059D61E402E604DF4800B069B0BA6E3BE205B6D45BAA8440CCDDF8719B790E73E9EF96A139A4B913B29CBD0FBD409F1625EA9F7ACD721F9CD7F9BFB03D44C9034','laptop:30500:01M847BRMPC5QQ2BAFSD91XW9N','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BTBYNQDF2FB92EHD7DCS','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','01M847BTB1J0PC4T0JJNXEGPNV','evaluation','main',1,'alpha','j1','b9ff3fd9fd11828cac0fb42f3b7505517c440c780deb5f31123100b5de8a51a5',1,'done',0,1,200,'stop',1455,99,0,NULL,0,0.001851,'config','chatcmpl-3a0e26bd55d576e298ba8b73','req_78c902905deae5a65060248a',0.0,'2025-11-23 12:51:14.942090','2025-11-23 12:51:15.248756',NULL,NULL,X'789C8D8F4D0E82400C46AFD2744D5C1BF6261EC00BD4A1C224436B660A4208777794F8032BB65FFB5EBF4E48CE7591DC88E5849129A96089678A55188164B4C64B0DA640550574D5CEE0431CB0C0E4343296C7B940A7ED3DB0B1704AFB65FFD45618287A5B17BB340CC683814F1995DE8B7B29BD80B79C2CC4C61339704FE278653A0D8E4360315081EF4A09A24B4BBDC1837DDDBC4FB53EA51C6EC4378D2D99E5C1FE7F7FCC4A363F01546F8A12','laptop:30500:01M847BRMPC5QQ2BAFSD91XW9N','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BTNEPRFF6QDE7CSX1ZWG','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','01M847BTMW5ENHZYHV1PEGXC33','comparison','main',1,'alpha','j1','de3a16b459c4a086c4d05044aaf2f424f7f175d561ca5a8fc6d480aead1f4bac',1,'done',0,1,200,'stop',1704,27,0,NULL,0,0.001812,'config','chatcmpl-cfa19274e8036a37a3e35761','req_01c9151f1e662ebbceba3b58',0.0,'2025-11-23 12:51:15.246866','2025-11-23 12:51:15.551205',NULL,NULL,X'789C1D8C410A80300C04BFB2E42C2278118FFEA4D6540B9A409BA220FEDDEA716786BD29B1CB2A51561A6952DBE012A36437EFDC602E06E3CB302166D8C638B46A5F9B507668F8999DDA52436714E1F4DDD4E155425C583CD3D8B543FFBC9DA82354','laptop:30500:01M847BRMPC5QQ2BAFSD91XW9N','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BTNDNQXK0KJ0553TT6A7','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','01M847BTMW5ENHZYHV1PEGXC32','comparison','main',1,'alpha','j1','517f58d3b9dc370cf2e68beb10ccd813e146c1daaa67bb0af37a1d022864d0b7',1,'done',0,1,200,'stop',1640,27,0,NULL,0,0.001748,'config','chatcmpl-0a44727054e295cf7a514edd','req_683490dae9523eda20a83852',0.0,'2025-11-23 12:51:15.245584','2025-11-23 12:51:15.553853',NULL,NULL,X'789C1D8C410A80300C04BFB2E42CE2513CFA935A535BD004DA1405F1EF568F3B33EC4D995D5149B2D144B35A84CB8C5ADCB27387A51A8C2FC38C5460917168D3BE35A1EED0F0333BB5A78ECE24C2F9BB69C3AB84B4B278A669E887F179019D9A2351','laptop:30500:01M847BRMPC5QQ2BAFSD91XW9N','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BTNF5STPMXTXTHTM96VP','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','01M847BTMW5ENHZYHV1PEGXC31','comparison','main',1,'alpha','j1','c5dbc0b38ce1e80e8c08411286773850fe7878451f484ed25d616c2902474f97',1,'done',0,1,200,'stop',1640,27,0,NULL,0,0.001748,'config','chatcmpl-e8e4234d33afe08ad60532fa','req_81957a244ae56fa17387d840',0.0,'2025-11-23 12:51:15.248014','2025-11-23 12:51:15.553113',NULL,NULL,X'789C0DCC4B0EC2300C45D1AD3C798C2A3AA4C3AE810D54E90B580AB6E4A41F84BA7732BC83737F125CAA9BDA4B2679F26C98917C6754B437517D8B447C3C88BC95F2C5622BB4A22B65A039B297E2C7203739D48CD13F738FE49675A525CA741FC6C7F507F43C247A','laptop:30500:01M847BRMPC5QQ2BAFSD91XW9N','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BTNMNH5X5EA04N8JXKVK','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','01M847BTMW5ENHZYHV1PEGXC34','comparison','main',1,'alpha','j1','c377f2bb85b88c794f22cc3ee498dd6944625d33c87bed8f20ff9184fb849094',1,'done',0,1,200,'stop',1704,27,0,NULL,0,0.001812,'config','chatcmpl-36de482777c3c4199bc3dbd9','req_7db44b1b13f6bdfeff374a17',0.0,'2025-11-23 12:51:15.252948','2025-11-23 12:51:15.554674',NULL,NULL,X'789C1D8C410A80300C04BFB2E42CE249D09BFEA4D6540B9A409BA220FEDDE27167867D28B1CB2A51361A6956DBE112A364B71CDC602906E3DB302166D8CE38B56A5F9B500E68F8995DDA52435714E1546FA63ABC4A882B8B671ABB76E8DF0F9D5A2356','laptop:30500:01M847BRMPC5QQ2BAFSD91XW9N','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BTPYH4VZFEAZJN8YMRG7','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','01M847BTP7NSVHV837C3YVE8V0','comparison','main',1,'alpha','j1','46effcc0656c88a90fec71ec24df209378df9f53fc8be657f3a25d9ac69c955a',1,'done',0,1,200,'stop',1824,27,0,NULL,0,0.001932,'config','chatcmpl-82df4a1a2b077472a2b993c8','req_9e9607fe33106bc38435982a',0.0,'2025-11-23 12:51:15.294477','2025-11-23 12:51:15.597615',NULL,NULL,X'789C0DCC310A02410C46E1AB84D4B26861B3E59EC10BC4C9BF3AAC2492044610EFEE948F0FDE9703926EDD1EBCF20D9FA28D0EE09DD45E9E082AA7F194A22149920794C4947AD21D55D33D14015DF8C4A39B21E6679BD1DCF6AEB0065ECFCBE5FAFB03E2F62439','laptop:30500:01M847BRMPC5QQ2BAFSD91XW9N','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BTQ1GVXNP2N7ZCFEQYH3','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','01M847BTP7NSVHV837C3YVE8V1','comparison','main',1,'alpha','j1','82644d45fdef1fd878f69d5f29b6de28be3c7dc40c5a3fc5aec2f093550a917b',1,'done',0,1,200,'stop',1824,27,0,NULL,0,0.001932,'config','chatcmpl-294fdc45baf755af8323e910','req_4b09f18155e8275af5f29001',0.0,'2025-11-23 12:51:15.298032','2025-11-23 12:51:15.600769',NULL,NULL,X'789C0DCC310A02410C46E1AB84D4B258D8B8DDDEC10BC4C9BF3AAC2492044610EFEE948F0FDE9703926EDD1EBCF20D9FA28D0EE09DD45E9E082AA7F194A22149920794C4947AD21D55D33D14015DF8C4A39B21E6679BD1DCF6AEB0065ECFCBE5FAFB03E29A243E','laptop:30500:01M847BRMPC5QQ2BAFSD91XW9N','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BTQ70QST0B19J1XF8MED','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','01M847BTP7NSVHV837C3YVE8V2','comparison','main',1,'alpha','j1','22deaed202cd03ae04a4dbeaba5150441776c3d6444ef14e71201eb1dda1128a',1,'done',0,1,200,'stop',1840,27,0,NULL,0,0.001948,'config','chatcmpl-890db3697aa98daa407e5547','req_4ae58c3a7beb223ed190d504',0.0,'2025-11-23 12:51:15.303134','2025-11-23 12:51:15.608178',NULL,NULL,X'789C1D8C410A80300C04BFB2E42CA2578FFEA4D6540B3581364541FCBBD5E3CE0C7B53665754A26C34D1ACB6C365462D6E49DC61A906E3CB302316D8CE38B469DF9A501334FCCC4EEDA9A3338A70FE6EDAF02A21AE2C9E691AFA717C5E9D8F234B','laptop:30500:01M847BRMPC5QQ2BAFSD91XW9N','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BTQ8PGEG427S5JB9C9P9','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','01M847BTP7NSVHV837C3YVE8V3','comparison','main',1,'alpha','j1','8409da8c826e88dd3262734841cecf5bc6bd4e6f34c1b93f911a64f1866b20e9',1,'done',0,1,200,'stop',1840,27,0,NULL,0,0.001948,'config','chatcmpl-4d828fa6618853c20b3b4838','req_3e3450ef8091cd8ddc23e710',0.0,'2025-11-23 12:51:15.304616','2025-11-23 12:51:15.613549',NULL,NULL,X'789C0DCC410AC2400C46E1AB84ACA528EEBAEC19BC409CFCD5A19248121841BCBBB37C7CF0BE1C9074EBF6E0956FF8146D7400EFA4F6F24450398DA7140D49923CA024A6D493EEA89AEEA108E8C2271EDD0C313FDB8CE6B6778535F07A5E2ED7DF1FE2F22437','laptop:30500:01M847BRMPC5QQ2BAFSD91XW9N','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BXSV41KRJPRQ0X89RQC8','01M847BX75Y4VHN93156JPGCR8','01M847BX7STJ70TQN4VK84Q4F5','01M847BXS101R0DKTB59W74WTB','artifact','main',1,'alpha','m1','b352f2f72ccd12bdb49772321871ab375dd7b081d4133b79f7365ddf35380daa',1,'done',0,1,200,'stop',115,814,0,NULL,0,0.003371,'config','chatcmpl-247eb6557f974ea3b6cddcbc','req_5e28451dc2c9eede8af7d568',0.0,'2025-11-23 12:51:18.460025','2025-11-23 12:51:18.770806',NULL,NULL,X'789CED57CD8E1A310CBECF5358DA2BF000BDD156557BA856EA22ED394C0C136D26A6B107CADBF74BA0DBBD6E18891E7A9940627F76FC9F077A4A72EABACDC064FCCB68CB514EB477367056C2975895930517956457C957F4CD48CD6553DA65192BD9CEF5F8EB94F6E1C8895CF2653B91CFEE7401EA2529FF9C38F50CA8C4B43D9765D5750F0FF4495291DF754F0CA65754994C83E7C54544C86A7490908C42C17456F581EC08ED4E50992BA10BB910F4123DE7429728F44C2347D3157D17901D32F741399E172D10CFAF742A53C63E483544D869819D8B72E5831B5563E137E449F6EC9BD52E2EF2D24F23A410BC21A4EEDC6E85CD5FE59318B7037D2D64AD0AB811AE70AA6E0F72EFDBB598CDC8381B10C5DB1286B0F14E3216686961BC86EA673617A276DD9AC6124ABDCBBC9B22843B1FD21EEB914BB6DC769593641B8075606705F5CE869909E65D8973F7106DE5FBB76C3E6F3CBDDB8333D6AC990C724BC52A924193C014FAA1309D09F97FED7AE0F51CC396B3339EDBF29BC287E3888E4CB23D0699F44A64C519C9B7DFAD16B6357C44FBE8D0A0BB6ED982F29FE98D399FABBF0C5B2EA15B7C4127F1EEBC3459622951F17249957A7E634EA88518C9047D8B94CD22D263A858F9226400B71247E50ABCA28F5C06AB7AD83402CD9CDAEBBE24754D0F79535D9A54FB81465CA65764A9A361CAF94C232CAE2607AA106538DDCB1F4931A83532DDB920DD347ACDD0586B983F4ED66340C21BC2BD94C11F8F00F04BBC0EED232A61C6EB81743A1CA43C19CAE88FB7401F270D923EB4C8FD0DF42D7A2B','laptop:30620:01M847BXCGEKAGPGYXT78GRT4S','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BXSXQMD423011600D8ZS','01M847BX75Y4VHN93156JPGCR8','01M847BX7STJ70TQN4VK84Q4F5','01M847BXS2WAVTMFG6Y8FBN72G','artifact','main',1,'alpha','m2','58f68a04aa7c97842a96acdc203a6bd4845dd7320c28119d86c9869c39b3dc74',1,'done',0,1,200,'stop',115,517,0,NULL,0,0.002183,'config','chatcmpl-56df335c2be7cfb67544e26e','req_c93bb96bc2c404823373681c',0.0,'2025-11-23 12:51:18.461871','2025-11-23 12:51:18.768579',NULL,NULL,X'789CBD55C16EDB300CBDEB2B08E4DAE40376DBBA0DCB612DB016D859919858A82CBA225DD77F3F52CEF6014AB14B8CD88F8F14DF23B583A7428B73BF072F70A69C6961B87819B032E82F203316493E33D0B9810F701460F15518CE95C6063BFBA07FBDC6A6372CE04BB4D70562F5CB4614A830BECE58022A554138ADF63838B7DBC13D15C17771EE0935E81F2BCDC229E2DD9622551698281581649C5AB1D5A3B9B356B768C9D8803E550304CA11ABE10AA4803062163EC04F52D8543124C6BCDEF5507C0E816A4CE502420DCE34D7805D5C5FD04EA8AF1377C57F7B9D15DF778E672BDD8FDA0ECFEC2F0A8FB1BBB14DC7AF283E6576EE17FA08A3B53A64DA1A9D0464AE854DD56EF59E2D4E3F67F525D0E92DD1CC5790980C252AE8877175901F1BB55A43D5C5D85DE383B95B874591A30D8AD6043E9BD76F52EB96D8ED640B5519F47C137A69EEED3CE047FADF8C62BB26E9D28061AE7585D1AFDA369AA051D82AB9D0DF4C39B1F40B6C86376DABA55B8614060B5AC16BF4B6B83436624E27AC5EAEBBE9588007ED9C73FB9EB1F87F4156EC836E516D1E4E3A83DFA942F4EB5E68AF0F53FFA5ED19C5FBD2BF40372FB1A49C4D9593CA8F22590766685C754B3268340366C646DC2FDA2DBEEF72D7AD2BF94387ADA9FA384BA0119D7B2C70F2D99770BD13477569D5CB19789E26B21BD9768F5EB521CF9CA87CEAC9F807ADA3D637','laptop:30620:01M847BXCGEKAGPGYXT78GRT4S','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BY4PP43752AJRVSX0CCG','01M847BX75Y4VHN93156JPGCR8','01M847BX7STJ70TQN4VK84Q4F5','01M847BY3KX1B4V5E1QT0A3DBB','evaluation','main',1,'alpha','j1','db54e5f5bcd68e5488385cb018b0ae9f86baae89833d8174ce383e5a260a800f',1,'done',0,1,200,'stop',1565,102,0,NULL,0,0.001973,'config','chatcmpl-c67f06418620398ab0e90939','req_d3f24ed6e865ff232423c255',0.0,'2025-11-23 12:51:18.806716','2025-11-23 12:51:19.109657',NULL,NULL,X'789C95CF4D0AC2400C05E0AB84AC8B6B9DBDE035E2346D07A689CCA46A29BDBB15FF5A41A8DBE4BD8F6440F2BE4BE47B740326A6AC820E0F94CAD803496F4D901A4C81CA12E8A89DC1ABB1C102B3D7C4E8B663815EDB536463E19CD763F3D60CDCDDC14829D8F2B0FDD5738C2C062AF00C38107DC85AC18543DD18840C6DC8791A7EA189239F493CFF66DF91BFE04A534B66D362FDF39FCE021B6FCA358F04','laptop:30620:01M847BXCGEKAGPGYXT78GRT4S','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BY4SSM0S9PYXQWCE0A2H','01M847BX75Y4VHN93156JPGCR8','01M847BX7STJ70TQN4VK84Q4F5','01M847BY3GYGPT0TYJXSF95CBE','evaluation','main',1,'alpha','j1','8b2d5537d6b061b464987537e98aa93d37f1d2ae8482bd59fe90c77e8a9ffdb1',1,'done',0,1,200,'stop',1268,98,0,NULL,0,0.00166,'config','chatcmpl-55ea3a5358ceb0bcd740d0ea','req_83f61714d384ecd44d42ae71',0.0,'2025-11-23 12:51:18.809306','2025-11-23 12:51:19.117153',NULL,NULL,X'789C8D8F4D0E82400C85AFD2746DDCE98203E805BC403354996468C9B4A0847077311185B061FB7EBEBC372085D0660A3D1603662653C1022F9A6136C02B06E79743A96CF0ACC8213AD4ADF9110F68413363711A0F18B46E123B0B9BAD7057D512546019282621F56035A5048D467103CA0CDAB02CB8E70F37518EBE5DF8D5F70FCC9CB82309BC41FD9CFDB0BBE69ADCA33C56B4DBDC8F36FD952E4A98221065C218FC4BAB8FE31B179F88B1','laptop:30620:01M847BXCGEKAGPGYXT78GRT4S','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BYFPEBW8HS15PAW6B6ZT','01M847BX75Y4VHN93156JPGCR8','01M847BX7STJ70TQN4VK84Q4F5','01M847BYF0BRFJRKPF2SKFFNZQ','comparison','main',1,'alpha','j1','6e6b3f9a7f149ecde1e92c5909a76b839751ef0f6cb1b6a8c59e0b797ab8b058',1,'done',0,1,200,'stop',1926,27,0,NULL,0,0.002034,'config','chatcmpl-aba37f67f3960997bc3aaf3e','req_9f6c0194a8149abc3261cdcf',0.0,'2025-11-23 12:51:19.158418','2025-11-23 12:51:19.466102',NULL,NULL,X'789C0DCC4B0AC3300C45D1AD3C342EA19350C82C7BE80682F3DC0A5C0964E7534AF65E0FEFE0DC9F0497EAA6F692499E3C1B6624DF1915ED4D54DF22111F0F226FA57CB1D80AADE84A19688EECA5F831C84D0E3563F4CFDC23B9655D698932DD87C778FD01F3D9247A','laptop:30620:01M847BXCGEKAGPGYXT78GRT4S','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BYFQ4ZFJXTZKPD51SPD6','01M847BX75Y4VHN93156JPGCR8','01M847BX7STJ70TQN4VK84Q4F5','01M847BYF0BRFJRKPF2SKFFNZR','comparison','main',1,'alpha','j1','26963227d398f6ba7c3bbd196565d1804a03e5ffa7e9823c834615958a58370b',1,'done',0,1,200,'stop',1926,27,0,NULL,0,0.002034,'config','chatcmpl-984ceab84710003b73750202','req_162bbb9735b9747c431838d5',0.0,'2025-11-23 12:51:19.159692','2025-11-23 12:51:19.468767',NULL,NULL,X'789C0DCC4B0AC3300C45D1AD3C342EA19049C9306BE80682F3DC0A5C0964E7534AF65E0FEFE0DC9F0497EAA6F692499E3C1B6624DF1915ED4D54DF22111F0F226FA57CB1D80AADE84A19688EECA5F831C84D0E3563F4CFDC23B9655D698932DD87C778FD01F445247B','laptop:30620:01M847BXCGEKAGPGYXT78GRT4S','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "calls" VALUES('01M847BYVQRSAVXESY686QRB3P','01M847BX75Y4VHN93156JPGCR8','01M847BX7STJ70TQN4VK84Q4F5','01M847BYTRWH96X9K90FK2C09M','artifact','main',1,'alpha','m1','60c1178143f3285437dede05c0b55f1158a7ff175115eda69af6b33dcbd7c1bd',1,'done',0,1,200,'stop',1876,713,0,NULL,0,0.004728,'config','chatcmpl-73c83bad8b44bdb8d584d6c8','req_29fec300ae1d8a4c0a64fc86',0.0,'2025-11-23 12:51:19.543258','2025-11-23 12:51:19.854904',NULL,NULL,X'789CCD56C16EDB300CBDFB2B08F49AE50376DB80020BB0ADC536A06745626CA1B2E88A72B3FCFD1EED6CE8590E865E6CC4219FC8A7C727DDD1CF2CE7AEFB353055FE5DE9C849CED4BB3A7051C2935895738D2E29C96909DFD3A1925657AAD2A9C8B8849D9CC74FA7D4C757CEE472B0CF994271E715C84B567E99397B0654663A5EECB5EFBABB3B7AC27A286188B957C3CEA1EBBE8A3C732057D75564AE1A03EFD6E562D14A93C45C291A3EA2AC36D49150E9F90AC7E462B1002F2970B1B84CD1338D9CAAEEE9FE6546FC65D7926B9CA91B9926A7EA7A8487D05EC961E9A3B097123834C37CB1B086BCA77F712A73C177846A4CD8F91DBEAC14DB031AB1CEDD526D8236488EAF5166BD2256CBCFE1E6F4185A103F8FA888A04501F6A519EE2A39E4BEE9D800BBEE07BB40A300C52751366DA0A93A97ACA6C00D0DE0BF01F371644C05EA3F49C10BFCD438F2ADE9BA777EB07145A4F23A268845CC117D0DEC97B9EA5DCCBA522025F631BBB425F39B913641C171A5AD75A4D6DDC852799B5CDEABF8E8339B8F2D03D5CCD229F67301416EC98050AF7BF6973EF3DFB3C181472A36921C6EC8EFD6163E79F339983D557953761356ABE535D3B8B8C7E33A1928FF9979EABA0F2D36F4FF92ACE4EF76C06BE5093677C0C9EC62BA606071705B205CCEC38E144A3FE7755BA27E6C21F6215F8D038BC5940C0BE6A15C6B8279980D2E90653D5206802871525EF0B7C87BCB69FE9E14BDB5962D3CDCB28F1B622D027E98AB4914D755F76C774CE803F992AE77C2D1552EB8A892CED324763BB55B26AE9D3ECD1A25B788B9FB032E42ED7B','laptop:30620:01M847BXCGEKAGPGYXT78GRT4S','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0);
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
INSERT INTO "documents" VALUES('01M847BRFKGMRH3R7MP338V5FW','01M847BRBDC507CMDQG5X99625','rivers.md','0c0ddec02e5ad9ec5b71a6c33d018e56713ea4d5561b66f0986879d4a85f5ad1','# Rivers

A river carries water from the hills to the sea.
','finished','done','Rank 1 of 3 by scores and comparisons; the best one with a probability of 0.47. Every pair was compared: 2 comparisons. In the playoffs: every pair was compared: 4 comparisons.','01M847BRX9TPMZHVE5KY39S4C8','[{"artifact_id": "01M847BRX9TPMZHVE5KY39S4C8", "rank": 1, "admitted": true, "rank_score": 6.095796551218984, "overall": 7.5, "elo": 1515.9660918698307, "wins": 1, "games": 2, "selected": true, "reason": "its level of 0.610 is below the threshold of 0.7, but at least 1 must be taken", "p_best": 0.475, "posterior": {"points": 1586.6728620762728, "low": 1341.03769014822, "high": 1883.1348944566948}, "bradley_terry": null}, {"artifact_id": "01M847BT18ANJ4YXMFJ97Y1BYM", "rank": 2, "admitted": true, "rank_score": 6.091785608019883, "overall": 7.5, "elo": 1515.2976013366472, "wins": 1, "games": 2, "selected": false, "reason": "its level of 0.609 is below the threshold of 0.7", "p_best": 0.455, "posterior": {"points": 1585.7472712987262, "low": 1363.711510282914, "high": 1892.3618679940307}, "bradley_terry": null}, {"artifact_id": "01M847BRX8TH0BPA1EEQEXDMSE", "rank": 3, "admitted": true, "rank_score": 5.6124178407611325, "overall": 7.0, "elo": 1468.736306793522, "wins": 0, "games": 2, "selected": false, "reason": "its level of 0.561 is below the threshold of 0.7", "p_best": 0.07, "posterior": {"points": 1327.579866625003, "low": 880.1356470651859, "high": 1600.5459234985676}, "bradley_terry": null}]','[{"artifact_id": "01M847BT18ANJ4YXMFJ97Y1BYM", "parent_id": "01M847BRX9TPMZHVE5KY39S4C8", "better": 0.4975, "games": 1, "lift": 0.0, "lift_low": -1.697378601114257, "lift_high": 1.697378601114257}]','2025-11-23 12:51:13.417517','2025-11-23 12:51:12.853003','2025-11-23 12:51:15.619580','default');
INSERT INTO "documents" VALUES('01M847BRFKGMRH3R7MP338V5FX','01M847BRBDC507CMDQG5X99625','wind.md','742873ea6bc6f5a09e9216453eb3c3e749de052eec45eb54f2e14570d806626c','# Wind

Warm air rises, and cold air takes its place.
','finished','done','Rank 1 of 3 by scores and comparisons; the best one with a probability of 0.58. Every pair was compared: 2 comparisons. In the playoffs: every pair was compared: 4 comparisons.','01M847BT09D7K22NG8EXCQ1PAD','[{"artifact_id": "01M847BT09D7K22NG8EXCQ1PAD", "rank": 1, "admitted": true, "rank_score": 6.495797001873276, "overall": 8.5, "elo": 1515.9661669788793, "wins": 1, "games": 2, "selected": true, "reason": "its level of 0.650 is below the threshold of 0.7, but at least 1 must be taken", "p_best": 0.5775, "posterior": {"points": 1663.8879988728288, "low": 1442.4262579531778, "high": 2041.3075915717593}, "bradley_terry": null}, {"artifact_id": "01M847BRY23A7HK8YPA424X59Z", "rank": 2, "admitted": true, "rank_score": 6.291582159238867, "overall": 8.0, "elo": 1515.263693206478, "wins": 1, "games": 2, "selected": false, "reason": "its level of 0.629 is below the threshold of 0.7", "p_best": 0.408, "posterior": {"points": 1624.3181260963925, "low": 1386.0371050741333, "high": 2005.174251820445}, "bradley_terry": null}, {"artifact_id": "01M847BRY23A7HK8YPA424X5A0", "rank": 3, "admitted": true, "rank_score": 5.212620838887856, "overall": 6.0, "elo": 1468.7701398146428, "wins": 0, "games": 2, "selected": false, "reason": "its level of 0.521 is below the threshold of 0.7", "p_best": 0.0145, "posterior": {"points": 1211.7938750307762, "low": 566.268017004412, "high": 1505.7950263314785}, "bradley_terry": null}]','[{"artifact_id": "01M847BT09D7K22NG8EXCQ1PAD", "parent_id": "01M847BRY23A7HK8YPA424X59Z", "better": 0.5865, "games": 1, "lift": 0.5, "lift_low": -1.197378601114257, "lift_high": 2.197378601114257}]','2025-11-23 12:51:13.417517','2025-11-23 12:51:12.853003','2025-11-23 12:51:15.558009','default');
INSERT INTO "documents" VALUES('01M847BX7STJ70TQN4VK84Q4F5','01M847BX75Y4VHN93156JPGCR8','snow.md','d1f29af990aaefc6f36770502687c209a004e4df261c3fe573656e0814ce8997','# Snow

Snow falls where the air is colder than ice melts.
','combine','running',NULL,NULL,NULL,NULL,'2025-11-23 12:51:18.410813','2025-11-23 12:51:17.853078',NULL,'default');
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
INSERT INTO "elo_ratings" VALUES('01M847BTZCWHGZPPK9NYXQPR60','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','01M847BRY23A7HK8YPA424X59Z',1.51526369320647791025e+03,2,1,0,1,'[1500.0, 1516.0, 1515.263693206478]','2025-11-23 12:51:15.558009','default');
INSERT INTO "elo_ratings" VALUES('01M847BTZCWHGZPPK9NYXQPR61','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','01M847BRY23A7HK8YPA424X5A0',1.46877013981464278917e+03,2,0,2,0,'[1500.0, 1484.0, 1468.7701398146428]','2025-11-23 12:51:15.558009','default');
INSERT INTO "elo_ratings" VALUES('01M847BTZCWHGZPPK9NYXQPR62','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','01M847BT09D7K22NG8EXCQ1PAD',1.51596616697887930057e+03,2,1,0,1,'[1500.0, 1500.736306793522, 1515.9661669788793]','2025-11-23 12:51:15.558009','default');
INSERT INTO "elo_ratings" VALUES('01M847BV1AK3PZQ1Z9NJGB6394','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','01M847BRX8TH0BPA1EEQEXDMSE',1.46873630679352208975e+03,2,0,2,0,'[1500.0, 1484.0, 1468.736306793522]','2025-11-23 12:51:15.619580','default');
INSERT INTO "elo_ratings" VALUES('01M847BV1AK3PZQ1Z9NJGB6395','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','01M847BRX9TPMZHVE5KY39S4C8',1.51596609186983073409e+03,2,1,0,1,'[1500.0, 1516.0, 1515.9660918698307]','2025-11-23 12:51:15.619580','default');
INSERT INTO "elo_ratings" VALUES('01M847BV1AK3PZQ1Z9NJGB6396','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','01M847BT18ANJ4YXMFJ97Y1BYM',1.51529760133664717614e+03,2,1,0,1,'[1500.0, 1515.263693206478, 1515.2976013366472]','2025-11-23 12:51:15.619580','default');
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
INSERT INTO "eval_results" VALUES('01M847BS8234RNKY52S441V0G8','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','01M847BRX9TPMZHVE5KY39S4C8','alpha:j1','alpha','j1',1,'{"accuracy": 8.0, "completeness": 7.0, "clarity": 8.0, "relevance": 7.0, "formatting": 7.0}','[]',7.5,'{"accuracy": "Good on accuracy: only small points are open.", "completeness": "The text is convincing in its completeness.", "clarity": "The text is convincing in its clarity.", "relevance": "Good on relevance: only small points are open.", "formatting": "Good on formatting: only small points are open."}','{"accuracy":{"reason":"Good on accuracy: only small points are open.","score":8},"completeness":{"reason":"The text is convincing in its completeness.","score":7},"clarity":{"reason":"The text is convincing in its clarity.","score":8},"relevance":{"reason":"Good on relevance: only small points are open.","score":7},"formatting":{"reason":"Good on formatting: only small points are open.","score":7}}',1292,101,334,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:13.796700',NULL,NULL,'2025-11-23 12:51:13.794666','2025-11-23 12:51:14.139146','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "eval_results" VALUES('01M847BS89MV2YSB26RAKKZ0BC','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','01M847BRX8TH0BPA1EEQEXDMSE','alpha:j1','alpha','j1',1,'{"accuracy": 7.0, "completeness": 7.0, "clarity": 7.0, "relevance": 7.0, "formatting": 7.0}','[]',7.0,'{"accuracy": "Good on accuracy: only small points are open.", "completeness": "Good on completeness: only small points are open.", "clarity": "Good on clarity: only small points are open.", "relevance": "Good on relevance: only small points are open.", "formatting": "The text is convincing in its formatting."}','{"accuracy":{"reason":"Good on accuracy: only small points are open.","score":7},"completeness":{"reason":"Good on completeness: only small points are open.","score":7},"clarity":{"reason":"Good on clarity: only small points are open.","score":7},"relevance":{"reason":"Good on relevance: only small points are open.","score":7},"formatting":{"reason":"The text is convincing in its formatting.","score":7}}',1275,102,339,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:13.801776',NULL,NULL,'2025-11-23 12:51:13.801202','2025-11-23 12:51:14.149050','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "eval_results" VALUES('01M847BS8XP4NVMJMGFAXB1N5Y','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','01M847BRY23A7HK8YPA424X5A0','alpha:j1','alpha','j1',1,'{"accuracy": 6.0, "completeness": 6.0, "clarity": 6.0, "relevance": 6.0, "formatting": 6.0}','[]',6.0,'{"accuracy": "The text is convincing in its accuracy.", "completeness": "Good on completeness: only small points are open.", "clarity": "The text is convincing in its clarity.", "relevance": "Good on relevance: only small points are open.", "formatting": "The text is convincing in its formatting."}','{"accuracy":{"reason":"The text is convincing in its accuracy.","score":6},"completeness":{"reason":"Good on completeness: only small points are open.","score":6},"clarity":{"reason":"The text is convincing in its clarity.","score":6},"relevance":{"reason":"Good on relevance: only small points are open.","score":6},"formatting":{"reason":"The text is convincing in its formatting.","score":6}}',1301,99,316,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:13.827693',NULL,NULL,'2025-11-23 12:51:13.821600','2025-11-23 12:51:14.148143','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "eval_results" VALUES('01M847BS8Y8Q7YG3XEW804YJTD','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','01M847BRY23A7HK8YPA424X59Z','alpha:j1','alpha','j1',1,'{"accuracy": 8.0, "completeness": 8.0, "clarity": 8.0, "relevance": 8.0, "formatting": 8.0}','[]',8.0,'{"accuracy": "Hardly anything to add about accuracy.", "completeness": "Excellent on completeness: nothing of weight is missing.", "clarity": "Hardly anything to add about clarity.", "relevance": "Excellent on relevance: nothing of weight is missing.", "formatting": "Excellent on formatting: nothing of weight is missing."}','{"accuracy":{"reason":"Hardly anything to add about accuracy.","score":8},"completeness":{"reason":"Excellent on completeness: nothing of weight is missing.","score":8},"clarity":{"reason":"Hardly anything to add about clarity.","score":8},"relevance":{"reason":"Excellent on relevance: nothing of weight is missing.","score":8},"formatting":{"reason":"Excellent on formatting: nothing of weight is missing.","score":8}}',1237,105,305,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:13.830505',NULL,NULL,'2025-11-23 12:51:13.822445','2025-11-23 12:51:14.156584','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "eval_results" VALUES('01M847BTAS4ZNTGGZA78A1KTKE','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','01M847BT09D7K22NG8EXCQ1PAD','alpha:j1','alpha','j1',1,'{"accuracy": 8.0, "completeness": 8.0, "clarity": 8.0, "relevance": 8.0, "formatting": 8.0}','[]',8.0,'{"accuracy": "Excellent on accuracy: nothing of weight is missing.", "completeness": "Hardly anything to add about completeness.", "clarity": "Excellent on clarity: nothing of weight is missing.", "relevance": "Excellent on relevance: nothing of weight is missing.", "formatting": "Hardly anything to add about formatting."}','{"accuracy":{"reason":"Excellent on accuracy: nothing of weight is missing.","score":8},"completeness":{"reason":"Hardly anything to add about completeness.","score":8},"clarity":{"reason":"Excellent on clarity: nothing of weight is missing.","score":8},"relevance":{"reason":"Excellent on relevance: nothing of weight is missing.","score":8},"formatting":{"reason":"Hardly anything to add about formatting.","score":8}}',1308,105,307,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:14.905992',NULL,NULL,'2025-11-23 12:51:14.905330','2025-11-23 12:51:15.222924','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "eval_results" VALUES('01M847BTAS4ZNTGGZA78A1KTKF','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','01M847BT09D7K22NG8EXCQ1PAD','alpha:j1','alpha','j1',2,'{"accuracy": 9.0, "completeness": 9.0, "clarity": 9.0, "relevance": 9.0, "formatting": 9.0}','[]',9.0,'{"accuracy": "Excellent on accuracy: nothing of weight is missing.", "completeness": "Excellent on completeness: nothing of weight is missing.", "clarity": "Hardly anything to add about clarity.", "relevance": "Excellent on relevance: nothing of weight is missing.", "formatting": "Hardly anything to add about formatting."}','{"accuracy":{"reason":"Excellent on accuracy: nothing of weight is missing.","score":9},"completeness":{"reason":"Excellent on completeness: nothing of weight is missing.","score":9},"clarity":{"reason":"Hardly anything to add about clarity.","score":9},"relevance":{"reason":"Excellent on relevance: nothing of weight is missing.","score":9},"formatting":{"reason":"Hardly anything to add about formatting.","score":9}}',1308,105,306,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:14.905992',NULL,NULL,'2025-11-23 12:51:14.905330','2025-11-23 12:51:15.224041','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "eval_results" VALUES('01M847BTB1J0PC4T0JJNXEGPNV','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','01M847BT18ANJ4YXMFJ97Y1BYM','alpha:j1','alpha','j1',1,'{"accuracy": 8.0, "completeness": 8.0, "clarity": 8.0, "relevance": 8.0, "formatting": 8.0}','[]',8.0,'{"accuracy": "Hardly anything to add about accuracy.", "completeness": "Hardly anything to add about completeness.", "clarity": "The text is convincing in its clarity.", "relevance": "Excellent on relevance: nothing of weight is missing.", "formatting": "Hardly anything to add about formatting."}','{"accuracy":{"reason":"Hardly anything to add about accuracy.","score":8},"completeness":{"reason":"Hardly anything to add about completeness.","score":8},"clarity":{"reason":"The text is convincing in its clarity.","score":8},"relevance":{"reason":"Excellent on relevance: nothing of weight is missing.","score":8},"formatting":{"reason":"Hardly anything to add about formatting.","score":8}}',1455,99,307,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:14.914486',NULL,NULL,'2025-11-23 12:51:14.913475','2025-11-23 12:51:15.249037','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "eval_results" VALUES('01M847BTB1J0PC4T0JJNXEGPNW','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','01M847BT18ANJ4YXMFJ97Y1BYM','alpha:j1','alpha','j1',2,'{"accuracy": 7.0, "completeness": 7.0, "clarity": 7.0, "relevance": 7.0, "formatting": 7.0}','[]',7.0,'{"accuracy": "Good on accuracy: only small points are open.", "completeness": "Good on completeness: only small points are open.", "clarity": "Good on clarity: only small points are open.", "relevance": "Good on relevance: only small points are open.", "formatting": "Good on formatting: only small points are open."}','{"accuracy":{"reason":"Good on accuracy: only small points are open.","score":7},"completeness":{"reason":"Good on completeness: only small points are open.","score":7},"clarity":{"reason":"Good on clarity: only small points are open.","score":7},"relevance":{"reason":"Good on relevance: only small points are open.","score":7},"formatting":{"reason":"Good on formatting: only small points are open.","score":7}}',1455,104,303,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:14.914486',NULL,NULL,'2025-11-23 12:51:14.913475','2025-11-23 12:51:15.242984','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "eval_results" VALUES('01M847BY3GYGPT0TYJXSF95CBE','01M847BX75Y4VHN93156JPGCR8','01M847BX7STJ70TQN4VK84Q4F5','01M847BXS2WAVTMFG6Y8FBN72G','alpha:j1','alpha','j1',1,'{"accuracy": 5.0, "completeness": 6.0, "clarity": 5.0, "relevance": 5.0, "formatting": 6.0}','[]',5.35,'{"accuracy": "For accuracy the text does what it must.", "completeness": "Good on completeness: only small points are open.", "clarity": "For clarity the text does what it must.", "relevance": "For relevance the text does what it must.", "formatting": "The text is convincing in its formatting."}','{"accuracy":{"reason":"For accuracy the text does what it must.","score":5},"completeness":{"reason":"Good on completeness: only small points are open.","score":6},"clarity":{"reason":"For clarity the text does what it must.","score":5},"relevance":{"reason":"For relevance the text does what it must.","score":5},"formatting":{"reason":"The text is convincing in its formatting.","score":6}}',1268,98,325,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:18.774348',NULL,NULL,'2025-11-23 12:51:18.768899','2025-11-23 12:51:19.117580','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "eval_results" VALUES('01M847BY3KX1B4V5E1QT0A3DBB','01M847BX75Y4VHN93156JPGCR8','01M847BX7STJ70TQN4VK84Q4F5','01M847BXS101R0DKTB59W74WTB','alpha:j1','alpha','j1',1,'{"accuracy": 8.0, "completeness": 9.0, "clarity": 9.0, "relevance": 9.0, "formatting": 9.0}','[]',8.7,'{"accuracy": "Hardly anything to add about accuracy.", "completeness": "Hardly anything to add about completeness.", "clarity": "Excellent on clarity: nothing of weight is missing.", "relevance": "Excellent on relevance: nothing of weight is missing.", "formatting": "Hardly anything to add about formatting."}','{"accuracy":{"reason":"Hardly anything to add about accuracy.","score":8},"completeness":{"reason":"Hardly anything to add about completeness.","score":9},"clarity":{"reason":"Excellent on clarity: nothing of weight is missing.","score":9},"relevance":{"reason":"Excellent on relevance: nothing of weight is missing.","score":9},"formatting":{"reason":"Hardly anything to add about formatting.","score":9}}',1565,102,314,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:18.776268',NULL,NULL,'2025-11-23 12:51:18.771040','2025-11-23 12:51:19.110186','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "eval_results" VALUES('01M847BZ5F6KDAF6K6HY5VMGBG','01M847BX75Y4VHN93156JPGCR8','01M847BX7STJ70TQN4VK84Q4F5','01M847BYTRWH96X9K90FK2C09M','alpha:j1','alpha','j1',1,'{}','[]',NULL,'{}',NULL,NULL,NULL,NULL,'default','planned',0,NULL,NULL,0,'2025-11-23 12:51:19.856007',NULL,NULL,'2025-11-23 12:51:19.855211',NULL,NULL,NULL,0,0);
INSERT INTO "eval_results" VALUES('01M847BZ5F6KDAF6K6HY5VMGBH','01M847BX75Y4VHN93156JPGCR8','01M847BX7STJ70TQN4VK84Q4F5','01M847BYTRWH96X9K90FK2C09M','alpha:j1','alpha','j1',2,'{}','[]',NULL,'{}',NULL,NULL,NULL,NULL,'default','planned',0,NULL,NULL,0,'2025-11-23 12:51:19.856007',NULL,NULL,'2025-11-23 12:51:19.855211',NULL,NULL,NULL,0,0);
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
INSERT INTO "events" VALUES(1,'01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','stage','{"stage": "compare"}','2025-11-23 12:51:14.174559','default');
INSERT INTO "events" VALUES(2,'01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','stage','{"stage": "compare"}','2025-11-23 12:51:14.172610','default');
INSERT INTO "events" VALUES(3,'01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','stage','{"stage": "combine"}','2025-11-23 12:51:14.547005','default');
INSERT INTO "events" VALUES(4,'01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','stage','{"stage": "combine"}','2025-11-23 12:51:14.589527','default');
INSERT INTO "events" VALUES(5,'01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','stage','{"stage": "playoff"}','2025-11-23 12:51:15.226708','default');
INSERT INTO "events" VALUES(6,'01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','stage','{"stage": "playoff"}','2025-11-23 12:51:15.269061','default');
INSERT INTO "events" VALUES(7,'01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','document_finished','{"state": "done", "reason": "Rank 1 of 3 by scores and comparisons; the best one with a probability of 0.58. Every pair was compared: 2 comparisons. In the playoffs: every pair was compared: 4 comparisons."}','2025-11-23 12:51:15.558009','default');
INSERT INTO "events" VALUES(8,'01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','document_finished','{"state": "done", "reason": "Rank 1 of 3 by scores and comparisons; the best one with a probability of 0.47. Every pair was compared: 2 comparisons. In the playoffs: every pair was compared: 4 comparisons."}','2025-11-23 12:51:15.619580','default');
INSERT INTO "events" VALUES(9,'01M847BRBDC507CMDQG5X99625',NULL,'run_finished','{"state": "done"}','2025-11-23 12:51:15.619580','default');
INSERT INTO "events" VALUES(10,'01M847BX75Y4VHN93156JPGCR8','01M847BX7STJ70TQN4VK84Q4F5','stage','{"stage": "compare"}','2025-11-23 12:51:19.125951','default');
INSERT INTO "events" VALUES(11,'01M847BX75Y4VHN93156JPGCR8','01M847BX7STJ70TQN4VK84Q4F5','stage','{"stage": "combine"}','2025-11-23 12:51:19.485730','default');
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
INSERT INTO "pairwise_comparisons" VALUES('01M847BSMJP3HGSNQFKR1DWVJ6','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','01M847BRY23A7HK8YPA424X59Z','01M847BRY23A7HK8YPA424X5A0','alpha:j1','alpha','j1',1,'a',0.95,'Both are usable, but text A is the more careful of the two.','{"reasoning":"Both are usable, but text A is the more careful of the two.","winner":"A","confidence":0.95}',1632,27,324,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:14.174559',NULL,NULL,'2025-11-23 12:51:14.174559','2025-11-23 12:51:14.540853','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "pairwise_comparisons" VALUES('01M847BSMJP3HGSNQFKR1DWVJ7','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','01M847BRY23A7HK8YPA424X5A0','01M847BRY23A7HK8YPA424X59Z','alpha:j1','alpha','j1',1,'b',0.69,'Text B covers the source more fully and is easier to follow.','{"reasoning":"Text B covers the source more fully and is easier to follow.","winner":"B","confidence":0.69}',1632,27,308,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:14.174559',NULL,NULL,'2025-11-23 12:51:14.174559','2025-11-23 12:51:14.531844','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "pairwise_comparisons" VALUES('01M847BSN4TJD4RAKFZ1CTA57T','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','01M847BRX8TH0BPA1EEQEXDMSE','01M847BRX9TPMZHVE5KY39S4C8','alpha:j1','alpha','j1',1,'b',0.41,'Both are usable, but text B is the more careful of the two.','{"reasoning":"Both are usable, but text B is the more careful of the two.","winner":"B","confidence":0.41}',1660,27,327,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:14.172610',NULL,NULL,'2025-11-23 12:51:14.172610','2025-11-23 12:51:14.562202','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "pairwise_comparisons" VALUES('01M847BSN4TJD4RAKFZ1CTA57V','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','01M847BRX9TPMZHVE5KY39S4C8','01M847BRX8TH0BPA1EEQEXDMSE','alpha:j1','alpha','j1',1,'a',0.57,'Text A covers the source more fully and is easier to follow.','{"reasoning":"Text A covers the source more fully and is easier to follow.","winner":"A","confidence":0.57}',1660,27,326,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:14.172610',NULL,NULL,'2025-11-23 12:51:14.172610','2025-11-23 12:51:14.561671','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "pairwise_comparisons" VALUES('01M847BTMW5ENHZYHV1PEGXC31','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','01M847BRY23A7HK8YPA424X59Z','01M847BT09D7K22NG8EXCQ1PAD','alpha:j1','alpha','j1',1,'b',0.19,'Text B covers the source more fully and is easier to follow.','{"reasoning":"Text B covers the source more fully and is easier to follow.","winner":"B","confidence":0.19}',1640,27,306,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:15.226708',NULL,NULL,'2025-11-23 12:51:15.226708','2025-11-23 12:51:15.553267','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "pairwise_comparisons" VALUES('01M847BTMW5ENHZYHV1PEGXC32','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','01M847BT09D7K22NG8EXCQ1PAD','01M847BRY23A7HK8YPA424X59Z','alpha:j1','alpha','j1',1,'b',0.08,'Both are usable, but text B is the more careful of the two.','{"reasoning":"Both are usable, but text B is the more careful of the two.","winner":"B","confidence":0.08}',1640,27,309,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:15.226708',NULL,NULL,'2025-11-23 12:51:15.226708','2025-11-23 12:51:15.554019','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "pairwise_comparisons" VALUES('01M847BTMW5ENHZYHV1PEGXC33','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','01M847BRY23A7HK8YPA424X5A0','01M847BT09D7K22NG8EXCQ1PAD','alpha:j1','alpha','j1',1,'b',0.83,'Both are usable, but text B is the more careful of the two.','{"reasoning":"Both are usable, but text B is the more careful of the two.","winner":"B","confidence":0.83}',1704,27,305,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:15.226708',NULL,NULL,'2025-11-23 12:51:15.226708','2025-11-23 12:51:15.551595','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "pairwise_comparisons" VALUES('01M847BTMW5ENHZYHV1PEGXC34','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FX','01M847BT09D7K22NG8EXCQ1PAD','01M847BRY23A7HK8YPA424X5A0','alpha:j1','alpha','j1',1,'a',0.96,'Both are usable, but text A is the more careful of the two.','{"reasoning":"Both are usable, but text A is the more careful of the two.","winner":"A","confidence":0.96}',1704,27,302,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:15.226708',NULL,NULL,'2025-11-23 12:51:15.226708','2025-11-23 12:51:15.554794','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "pairwise_comparisons" VALUES('01M847BTP7NSVHV837C3YVE8V0','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','01M847BRX8TH0BPA1EEQEXDMSE','01M847BT18ANJ4YXMFJ97Y1BYM','alpha:j1','alpha','j1',1,'b',0.15,'Text B keeps closer to what was asked and is better ordered.','{"reasoning":"Text B keeps closer to what was asked and is better ordered.","winner":"B","confidence":0.15}',1824,27,304,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:15.269061',NULL,NULL,'2025-11-23 12:51:15.269061','2025-11-23 12:51:15.597954','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "pairwise_comparisons" VALUES('01M847BTP7NSVHV837C3YVE8V1','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','01M847BT18ANJ4YXMFJ97Y1BYM','01M847BRX8TH0BPA1EEQEXDMSE','alpha:j1','alpha','j1',1,'a',0.49,'Text A keeps closer to what was asked and is better ordered.','{"reasoning":"Text A keeps closer to what was asked and is better ordered.","winner":"A","confidence":0.49}',1824,27,304,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:15.269061',NULL,NULL,'2025-11-23 12:51:15.269061','2025-11-23 12:51:15.600960','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "pairwise_comparisons" VALUES('01M847BTP7NSVHV837C3YVE8V2','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','01M847BRX9TPMZHVE5KY39S4C8','01M847BT18ANJ4YXMFJ97Y1BYM','alpha:j1','alpha','j1',1,'b',0.11,'Both are usable, but text B is the more careful of the two.','{"reasoning":"Both are usable, but text B is the more careful of the two.","winner":"B","confidence":0.11}',1840,27,306,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:15.269061',NULL,NULL,'2025-11-23 12:51:15.269061','2025-11-23 12:51:15.608428','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "pairwise_comparisons" VALUES('01M847BTP7NSVHV837C3YVE8V3','01M847BRBDC507CMDQG5X99625','01M847BRFKGMRH3R7MP338V5FW','01M847BT18ANJ4YXMFJ97Y1BYM','01M847BRX9TPMZHVE5KY39S4C8','alpha:j1','alpha','j1',1,'b',0.13,'Text B keeps closer to what was asked and is better ordered.','{"reasoning":"Text B keeps closer to what was asked and is better ordered.","winner":"B","confidence":0.13}',1840,27,310,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:15.269061',NULL,NULL,'2025-11-23 12:51:15.269061','2025-11-23 12:51:15.613805','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "pairwise_comparisons" VALUES('01M847BYF0BRFJRKPF2SKFFNZQ','01M847BX75Y4VHN93156JPGCR8','01M847BX7STJ70TQN4VK84Q4F5','01M847BXS101R0DKTB59W74WTB','01M847BXS2WAVTMFG6Y8FBN72G','alpha:j1','alpha','j1',1,'a',0.75,'Text A covers the source more fully and is easier to follow.','{"reasoning":"Text A covers the source more fully and is easier to follow.","winner":"A","confidence":0.75}',1926,27,309,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:19.125951',NULL,NULL,'2025-11-23 12:51:19.125951','2025-11-23 12:51:19.466490','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
INSERT INTO "pairwise_comparisons" VALUES('01M847BYF0BRFJRKPF2SKFFNZR','01M847BX75Y4VHN93156JPGCR8','01M847BX7STJ70TQN4VK84Q4F5','01M847BXS2WAVTMFG6Y8FBN72G','01M847BXS101R0DKTB59W74WTB','alpha:j1','alpha','j1',1,'b',0.83,'Text B covers the source more fully and is easier to follow.','{"reasoning":"Text B covers the source more fully and is easier to follow.","winner":"B","confidence":0.83}',1926,27,320,'default','done',1,NULL,NULL,1,'2025-11-23 12:51:19.125951',NULL,NULL,'2025-11-23 12:51:19.125951','2025-11-23 12:51:19.469038','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0);
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
INSERT INTO "reports" VALUES('01M847BVH8382YGZDNA2EB02KA','01M847BRBDC507CMDQG5X99625','run','html','{folder}/reports/01M847BRBDC507CMDQG5X99625/index.html','2025-11-23 12:51:15.728305','default');
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
INSERT INTO "runs" VALUES('01M847BRBDC507CMDQG5X99625','bbbe77c5806f0e3da19bd8dec08ec6e985d3c57d265c68ddfa464ea7de397319','config.yaml','done','{"input_folder": "{folder}/inputs", "output_folder": "{folder}/outputs", "winners_folder": "{folder}/winners", "reports_folder": "{folder}/reports", "instructions_file": "{folder}/instructions.md", "guidelines_file": null, "one_file_only": false, "providers": {"alpha": {"dialect": "openai_chat", "base_url": "{url}", "key_env": null, "requests_per_minute": null, "tokens_per_minute": null, "max_in_flight": 8, "launch_delay_seconds": 0.0, "timeout_seconds": 600.0, "background": false, "poll_seconds": 10.0, "models": {}, "prices": {"m1": {"input": 1.0, "output": 4.0, "cached": 0.5, "cache_write": null, "search": null, "search_per": "search"}, "m2": {"input": 1.0, "output": 4.0, "cached": 0.5, "cache_write": null, "search": null, "search_per": "search"}, "j1": {"input": 1.0, "output": 4.0, "cached": 0.5, "cache_write": null, "search": null, "search_per": "search"}}, "capabilities": {}}}, "runs": [{"type": "fpf", "provider": "alpha", "model": "m1", "iterations": 1, "json": "auto", "require": {"grounding": "none", "reasoning": "none"}, "effort": null, "max_searches": null, "max_tokens": null, "temperature": null}, {"type": "fpf", "provider": "alpha", "model": "m2", "iterations": 1, "json": "auto", "require": {"grounding": "none", "reasoning": "none"}, "effort": null, "max_searches": null, "max_tokens": null, "temperature": null}], "judges": [{"name": "alpha:j1", "provider": "alpha", "model": "j1", "weight": 1.0, "iterations": 1, "max_tokens": 4096, "temperature": null, "system_prompt": null, "json": null, "require": {"grounding": "none", "reasoning": "none"}, "effort": null, "max_searches": null}], "criteria": [{"name": "accuracy", "description": "Facts are right; nothing is invented", "weight": 0.3, "min": 1, "max": 10, "step": 1, "prompt_guidance": ""}, {"name": "completeness", "description": "Covers everything that was asked for", "weight": 0.25, "min": 1, "max": 10, "step": 1, "prompt_guidance": ""}, {"name": "clarity", "description": "Well written and easy to understand", "weight": 0.2, "min": 1, "max": 10, "step": 1, "prompt_guidance": ""}, {"name": "relevance", "description": "Stays on the subject", "weight": 0.15, "min": 1, "max": 10, "step": 1, "prompt_guidance": ""}, {"name": "formatting", "description": "Sound structure, headings and lists", "weight": 0.1, "min": 1, "max": 10, "step": 1, "prompt_guidance": ""}], "pairwise": {"enabled": true, "strategy": "round_robin", "position_swap": "both", "top_n": null, "iterations": 1, "judges": null, "stop_confidence": 0.9, "max_comparisons": null, "tie_below_confidence": null}, "playoffs": {"enabled": true, "models": null, "min_confidence": 0.5, "iterations": 2, "judges": null, "criteria": null, "pairwise": true}, "ranking": {"method": "auto", "aggregation": "mean", "elo": {"k": 32.0, "initial": 1500.0, "order": "chronological"}, "top_n": {"count": 3, "threshold": 0.7, "min": 1, "max": 5}}, "retries": {"attempts": 2, "base_delay_seconds": 0.05, "max_delay_seconds": 60.0, "deadline_seconds": 3600.0}, "budget_usd": null, "policies": {"providers": {}}, "missing_score": null, "cache": "reuse", "skip": "auto", "json": "auto", "jsonify": null, "seed": 0}','Rewrite the text for readers who are new to the subject.',NULL,'[]','{"calls": 26, "usd": 0.135936}',0,'2025-11-23 12:51:12.853003','2025-11-23 12:51:15.619580','default',NULL,0,0,NULL);
INSERT INTO "runs" VALUES('01M847BX75Y4VHN93156JPGCR8','bcba235c3f9d35b65338efed72b05c8e1d143dcf8f4e73e5a2e8a05ed6b985f0','config.yaml','running','{"input_folder": "{folder}/inputs", "output_folder": "{folder}/outputs", "winners_folder": "{folder}/winners", "reports_folder": "{folder}/reports", "instructions_file": "{folder}/instructions.md", "guidelines_file": null, "one_file_only": false, "providers": {"alpha": {"dialect": "openai_chat", "base_url": "{url}", "key_env": null, "requests_per_minute": null, "tokens_per_minute": null, "max_in_flight": 8, "launch_delay_seconds": 0.0, "timeout_seconds": 600.0, "background": false, "poll_seconds": 10.0, "models": {}, "prices": {"m1": {"input": 1.0, "output": 4.0, "cached": 0.5, "cache_write": null, "search": null, "search_per": "search"}, "m2": {"input": 1.0, "output": 4.0, "cached": 0.5, "cache_write": null, "search": null, "search_per": "search"}, "j1": {"input": 1.0, "output": 4.0, "cached": 0.5, "cache_write": null, "search": null, "search_per": "search"}}, "capabilities": {}}}, "runs": [{"type": "fpf", "provider": "alpha", "model": "m1", "iterations": 1, "json": "auto", "require": {"grounding": "none", "reasoning": "none"}, "effort": null, "max_searches": null, "max_tokens": null, "temperature": null}, {"type": "fpf", "provider": "alpha", "model": "m2", "iterations": 1, "json": "auto", "require": {"grounding": "none", "reasoning": "none"}, "effort": null, "max_searches": null, "max_tokens": null, "temperature": null}], "judges": [{"name": "alpha:j1", "provider": "alpha", "model": "j1", "weight": 1.0, "iterations": 1, "max_tokens": 4096, "temperature": null, "system_prompt": null, "json": null, "require": {"grounding": "none", "reasoning": "none"}, "effort": null, "max_searches": null}], "criteria": [{"name": "accuracy", "description": "Facts are right; nothing is invented", "weight": 0.3, "min": 1, "max": 10, "step": 1, "prompt_guidance": ""}, {"name": "completeness", "description": "Covers everything that was asked for", "weight": 0.25, "min": 1, "max": 10, "step": 1, "prompt_guidance": ""}, {"name": "clarity", "description": "Well written and easy to understand", "weight": 0.2, "min": 1, "max": 10, "step": 1, "prompt_guidance": ""}, {"name": "relevance", "description": "Stays on the subject", "weight": 0.15, "min": 1, "max": 10, "step": 1, "prompt_guidance": ""}, {"name": "formatting", "description": "Sound structure, headings and lists", "weight": 0.1, "min": 1, "max": 10, "step": 1, "prompt_guidance": ""}], "pairwise": {"enabled": true, "strategy": "round_robin", "position_swap": "both", "top_n": null, "iterations": 1, "judges": null, "stop_confidence": 0.9, "max_comparisons": null, "tie_below_confidence": null}, "playoffs": {"enabled": true, "models": null, "min_confidence": 0.5, "iterations": 2, "judges": null, "criteria": null, "pairwise": true}, "ranking": {"method": "auto", "aggregation": "mean", "elo": {"k": 32.0, "initial": 1500.0, "order": "chronological"}, "top_n": {"count": 3, "threshold": 0.7, "min": 1, "max": 5}}, "retries": {"attempts": 2, "base_delay_seconds": 0.05, "max_delay_seconds": 60.0, "deadline_seconds": 3600.0}, "budget_usd": null, "policies": {"providers": {}}, "missing_score": null, "cache": "reuse", "skip": "auto", "json": "auto", "jsonify": null, "seed": 0}','Rewrite the text for readers who are new to the subject.',NULL,'[{"path": "rivers.md", "run_id": "01M847BRBDC507CMDQG5X99625", "document_id": "01M847BRFKGMRH3R7MP338V5FW"}, {"path": "wind.md", "run_id": "01M847BRBDC507CMDQG5X99625", "document_id": "01M847BRFKGMRH3R7MP338V5FX"}]','{"calls": 13, "usd": 0.067981}',0,'2025-11-23 12:51:17.853078',NULL,'default',NULL,0,0,NULL);
CREATE TABLE tenants (
	tenant_id VARCHAR(32) NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	created_at DATETIME NOT NULL, 
	PRIMARY KEY (tenant_id)
);
INSERT INTO "tenants" VALUES('default','default','2025-11-23 12:51:12');
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
