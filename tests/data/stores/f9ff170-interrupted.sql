BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0018');
CREATE TABLE api_keys (
	key_id VARCHAR(32) NOT NULL, 
	user_id VARCHAR(32) NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	hint VARCHAR(16) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	scopes JSON NOT NULL, 
	created_at DATETIME NOT NULL, 
	expires_at DATETIME, 
	revoked_at DATETIME, 
	tenant_id VARCHAR(32) NOT NULL, 
	PRIMARY KEY (key_id), 
	CONSTRAINT api_keys_once UNIQUE (digest), 
	FOREIGN KEY(user_id) REFERENCES users (user_id)
);
CREATE TABLE artifact_files (
	artifact_id VARCHAR(32) NOT NULL, 
	extension VARCHAR(16) NOT NULL, 
	data BLOB NOT NULL, 
	tenant_id VARCHAR(32) NOT NULL, 
	PRIMARY KEY (artifact_id, extension), 
	FOREIGN KEY(artifact_id) REFERENCES artifacts (artifact_id)
);
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
	finished_at DATETIME, proof JSON, not_before DATETIME, failures INTEGER DEFAULT '0' NOT NULL, rests BOOLEAN DEFAULT 0 NOT NULL, taken_from VARCHAR(32), lane VARCHAR(120) DEFAULT '' NOT NULL, child JSON, 
	PRIMARY KEY (artifact_id), 
	FOREIGN KEY(document_id) REFERENCES documents (document_id), 
	FOREIGN KEY(run_id) REFERENCES runs (run_id), 
	CONSTRAINT artifacts_once UNIQUE (document_id, generator, variant, iteration)
);
INSERT INTO "artifacts" VALUES('01M847FWNRC4PK2XWA8FMGPMBG','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','fpf',1,1,1,'alpha','m1','[]','# Rivers

What follows gathers the essentials of Rivers. It takes the given facts first and then draws the consequences one by one.

## The situation

From some distance, the first point is that a river carries water from the hills to the sea. None of them stands alone. Equally, a river carries water from the hills to the sea. The document also says that a river carries water from the hills to the sea. The figures are those of the source and were not rounded. The order in which they are given is deliberate.

## A closer look

On a closer reading it appears that a river carries water from the hills to the sea. Here a river carries water from the hills to the sea. Equally, a river carries water from the hills to the sea. It is recorded that a river carries water from the hills to the sea. The source notes that a river carries water from the hills to the sea. Readers in a hurry may stop here and go to the list. The source notes that a river carries water from the hills to the sea. The same passage adds that a river carries water from the hills to the sea. The document also says that a river carries water from the hills to the sea. The document also says that a river carries water from the hills to the sea.

## Points to keep

- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.

## What it means

For day-to-day work this means that a river carries water from the hills to the sea. What remains to be settled is how far this holds elsewhere. This has been so for some time. The order in which they are given is deliberate. The source notes that a river carries water from the hills to the sea. According to the source, a river carries water from the hills to the sea. More precisely, a river carries water from the hills to the sea.

## Summary

Taken as a whole, the material supports one conclusion: a river carries water from the hills to the sea.','rivers.fpf.1.m1.2c5.md','default','done',1,NULL,NULL,1,'2025-11-23 12:53:28.375944',NULL,NULL,'2025-11-23 12:53:28.375944','2025-11-23 12:53:28.718157','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,NULL,'generate.alpha',NULL);
INSERT INTO "artifacts" VALUES('01M847FWNRC4PK2XWA8FMGPMBH','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','fpf',2,1,2,'alpha','m2','[]','# Rivers

What follows gathers the essentials of Rivers. It takes the given facts first and then draws the consequences one by one.

## Background

Looked at from outside, the first point is that a river carries water from the hills to the sea. More precisely, a river carries water from the hills to the sea. According to the source, a river carries water from the hills to the sea. More precisely, a river carries water from the hills to the sea. According to the source, a river carries water from the hills to the sea. The same passage adds that a river carries water from the hills to the sea.

## Details

Read more closely, it turns out that a river carries water from the hills to the sea. Here a river carries water from the hills to the sea. It is worth repeating that a river carries water from the hills to the sea. Readers in a hurry may stop here and go to the list. The document also says that a river carries water from the hills to the sea. Equally, a river carries water from the hills to the sea. It is recorded that a river carries water from the hills to the sea. This has been so for some time. The source notes that a river carries water from the hills to the sea. Here a river carries water from the hills to the sea. Readers in a hurry may stop here and go to the list. It is recorded that a river carries water from the hills to the sea. The document also says that a river carries water from the hills to the sea.

## At a glance

- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.

## In practice

For day-to-day work this means that a river carries water from the hills to the sea. It is still to be settled how far this holds elsewhere. This has been so for some time. Beside this, a river carries water from the hills to the sea. None of them stands alone. Here a river carries water from the hills to the sea. More precisely, a river carries water from the hills to the sea. More precisely, a river carries water from the hills to the sea. The document also says that a river carries water from the hills to the sea.

## Conclusion

Taken as a whole, the material supports one conclusion: a river carries water from the hills to the sea.','rivers.fpf.2.m2.b7u.md','default','done',1,NULL,NULL,1,'2025-11-23 12:53:28.375944',NULL,NULL,'2025-11-23 12:53:28.375944','2025-11-23 12:53:28.718096','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,NULL,'generate.alpha',NULL);
INSERT INTO "artifacts" VALUES('01M847FWP1VZGM5DZPNBG5TY34','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','fpf',1,1,1,'alpha','m1','[]','# Wind

What follows gathers the essentials of Wind. It takes the given facts first and then draws the consequences one by one.

## Where things stand

Looked at from outside, the first point is that Warm air rises, and cold air takes its place. According to the source, Warm air rises, and cold air takes its place. It is worth repeating that Warm air rises, and cold air takes its place. It is recorded that Warm air rises, and cold air takes its place. This has been so for some time. The order in which they are given is deliberate. That is less obvious than it sounds.

## What the source says

A closer reading shows that Warm air rises, and cold air takes its place. None of them stands alone. According to the source, Warm air rises, and cold air takes its place. The figures are those of the source and were not rounded. According to the source, Warm air rises, and cold air takes its place. Equally, Warm air rises, and cold air takes its place. That is less obvious than it sounds. This has been so for some time. According to the source, Warm air rises, and cold air takes its place. The document also says that Warm air rises, and cold air takes its place. The source notes that Warm air rises, and cold air takes its place. According to the source, Warm air rises, and cold air takes its place. The same passage adds that Warm air rises, and cold air takes its place.

## Points to keep

- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.

## What it means

For day-to-day work this means that Warm air rises, and cold air takes its place. Yet to be settled is how far this holds elsewhere. The source notes that Warm air rises, and cold air takes its place. The order in which they are given is deliberate. The same passage adds that Warm air rises, and cold air takes its place. According to the source, Warm air rises, and cold air takes its place. The source notes that Warm air rises, and cold air takes its place.

## Outcome

Taken as a whole, the material supports one conclusion: Warm air rises, and cold air takes its place.','wind.fpf.1.m1.vd2.md','default','done',1,NULL,NULL,1,'2025-11-23 12:53:28.385280',NULL,NULL,'2025-11-23 12:53:28.385280','2025-11-23 12:53:28.709870','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,NULL,'generate.alpha',NULL);
INSERT INTO "artifacts" VALUES('01M847FWP1VZGM5DZPNBG5TY35','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','fpf',2,1,2,'alpha','m2','[]','# Wind

The text below gathers the essentials of Wind. It begins with the facts as given and then draws the consequences one by one.

## Background

From some distance, the first point is that Warm air rises, and cold air takes its place. Where the source is silent, so is this text. Equally, Warm air rises, and cold air takes its place. The document also says that Warm air rises, and cold air takes its place. Here Warm air rises, and cold air takes its place. More precisely, Warm air rises, and cold air takes its place. It is recorded that Warm air rises, and cold air takes its place. More precisely, Warm air rises, and cold air takes its place.

## What the source says

A closer reading shows that Warm air rises, and cold air takes its place. According to the source, Warm air rises, and cold air takes its place. It is worth repeating that Warm air rises, and cold air takes its place. Beside this, Warm air rises, and cold air takes its place. The same passage adds that Warm air rises, and cold air takes its place. Here Warm air rises, and cold air takes its place. The order in which they are given is deliberate. More precisely, Warm air rises, and cold air takes its place. More precisely, Warm air rises, and cold air takes its place. This has been so for some time. That is less obvious than it sounds. It is recorded that Warm air rises, and cold air takes its place. This has been so for some time. It is recorded that Warm air rises, and cold air takes its place. Beside this, Warm air rises, and cold air takes its place.

## At a glance

- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.

## In practice

In everyday practice this means that Warm air rises, and cold air takes its place. What remains to be settled is how far this holds elsewhere. More precisely, Warm air rises, and cold air takes its place. Equally, Warm air rises, and cold air takes its place. It is worth repeating that Warm air rises, and cold air takes its place. It is worth repeating that Warm air rises, and cold air takes its place. The document also says that Warm air rises, and cold air takes its place. This has been so for some time. It is worth repeating that Warm air rises, and cold air takes its place.

## Conclusion

Considered together, the material supports one conclusion: Warm air rises, and cold air takes its place.','wind.fpf.2.m2.xdd.md','default','done',1,NULL,NULL,1,'2025-11-23 12:53:28.385280',NULL,NULL,'2025-11-23 12:53:28.385280','2025-11-23 12:53:28.717043','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,NULL,'generate.alpha',NULL);
INSERT INTO "artifacts" VALUES('01M847FXRFG24PB4F8CGK5RV7N','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','combine',1,1,1,'alpha','m2','["01M847FWP1VZGM5DZPNBG5TY35", "01M847FWP1VZGM5DZPNBG5TY34"]','# Wind

The text below gathers the essentials of Wind. It opens with the given facts and then draws the consequences one by one.

## Background

Looked at from outside, the first point is that Warm air rises, and cold air takes its place. The document also says that Warm air rises, and cold air takes its place. Equally, Warm air rises, and cold air takes its place. Beside this, Warm air rises, and cold air takes its place. Readers in a hurry may stop here and go to the list. More precisely, Warm air rises, and cold air takes its place. Equally, Warm air rises, and cold air takes its place. Equally, Warm air rises, and cold air takes its place. The same passage adds that Warm air rises, and cold air takes its place. It is worth repeating that Warm air rises, and cold air takes its place.

## What the source says

A closer reading shows that Warm air rises, and cold air takes its place. Equally, Warm air rises, and cold air takes its place. The source notes that Warm air rises, and cold air takes its place. The document also says that Warm air rises, and cold air takes its place. According to the source, Warm air rises, and cold air takes its place. That is less obvious than it sounds. More precisely, Warm air rises, and cold air takes its place. The source notes that Warm air rises, and cold air takes its place. It is worth repeating that Warm air rises, and cold air takes its place. Each of these points can be checked against the original. It is worth repeating that Warm air rises, and cold air takes its place. According to the source, Warm air rises, and cold air takes its place. Beside this, Warm air rises, and cold air takes its place. The document also says that Warm air rises, and cold air takes its place. The source notes that Warm air rises, and cold air takes its place. More precisely, Warm air rises, and cold air takes its place. The same passage adds that Warm air rises, and cold air takes its place.

## In short

- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.
- Warm air rises, and cold air takes its place.

## What it means

In everyday practice this means that Warm air rises, and cold air takes its place. It is still to be settled how far this holds elsewhere. Each of these points can be checked against the original. The source notes that Warm air rises, and cold air takes its place. This has been so for some time. Beside this, Warm air rises, and cold air takes its place. It is recorded that Warm air rises, and cold air takes its place. Beside this, Warm air rises, and cold air takes its place. That is less obvious than it sounds. More precisely, Warm air rises, and cold air takes its place. That is less obvious than it sounds. The same passage adds that Warm air rises, and cold air takes its place.

## Conclusion

All in all, the material supports one conclusion: Warm air rises, and cold air takes its place.','wind.combine.1.m2.m4i.md','default','done',1,NULL,NULL,1,'2025-11-23 12:53:29.464521',NULL,NULL,'2025-11-23 12:53:29.464521','2025-11-23 12:53:29.820051','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,NULL,'generate.alpha',NULL);
INSERT INTO "artifacts" VALUES('01M847FXRRBY712KEA2S3JDZBC','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','combine',1,1,1,'alpha','m2','["01M847FWNRC4PK2XWA8FMGPMBH", "01M847FWNRC4PK2XWA8FMGPMBG"]','# Rivers

What follows gathers the essentials of Rivers. It starts from the facts as given and then draws the consequences one by one.

## Context

Viewed from a distance, the first point is that a river carries water from the hills to the sea. It is worth repeating that a river carries water from the hills to the sea. Where the source is silent, so is this text. Equally, a river carries water from the hills to the sea. This has been so for some time. The same passage adds that a river carries water from the hills to the sea. More precisely, a river carries water from the hills to the sea. The figures are those of the source and were not rounded. None of them stands alone. Each of these points can be checked against the original.

## A closer look

On a closer reading it appears that a river carries water from the hills to the sea. The order in which they are given is deliberate. More precisely, a river carries water from the hills to the sea. More precisely, a river carries water from the hills to the sea. More precisely, a river carries water from the hills to the sea. It is worth repeating that a river carries water from the hills to the sea. Equally, a river carries water from the hills to the sea. Each of these points can be checked against the original. It is worth repeating that a river carries water from the hills to the sea. Each of these points can be checked against the original. The same passage adds that a river carries water from the hills to the sea. The same passage adds that a river carries water from the hills to the sea. Here a river carries water from the hills to the sea. It is worth repeating that a river carries water from the hills to the sea. The figures are those of the source and were not rounded. Equally, a river carries water from the hills to the sea.

## Points to keep

- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.
- A river carries water from the hills to the sea.

## Consequences

In daily practice it comes down to this: a river carries water from the hills to the sea. It is still to be settled how far this holds elsewhere. Here a river carries water from the hills to the sea. None of them stands alone. Equally, a river carries water from the hills to the sea. Here a river carries water from the hills to the sea. That is less obvious than it sounds. Here a river carries water from the hills to the sea. It is worth repeating that a river carries water from the hills to the sea. Equally, a river carries water from the hills to the sea. The document also says that a river carries water from the hills to the sea.

## Outcome

On balance, the material supports one conclusion: a river carries water from the hills to the sea.','rivers.combine.1.m2.ljv.md','default','done',1,NULL,NULL,1,'2025-11-23 12:53:29.473913',NULL,NULL,'2025-11-23 12:53:29.473913','2025-11-23 12:53:29.816265','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,NULL,'generate.alpha',NULL);
INSERT INTO "artifacts" VALUES('01M847G0XGBESWYYAF65WYYYSS','01M847G0S0EH68G05T910FY4DQ','01M847G0S3BCEP6TYB7YCY9PKS','fpf',1,1,1,'alpha','m1','[]','# Snow

What follows gathers the essentials of Snow. It takes the given facts first and then draws the consequences one by one.

## Where things stand

From some distance, the first point is that Snow falls where the air is colder than ice melts. It is recorded that Snow falls where the air is colder than ice melts. It is recorded that Snow falls where the air is colder than ice melts. This has been so for some time. Beside this, Snow falls where the air is colder than ice melts.

## A closer look

A closer reading shows that Snow falls where the air is colder than ice melts. More precisely, Snow falls where the air is colder than ice melts. The same passage adds that Snow falls where the air is colder than ice melts. Readers in a hurry may stop here and go to the list. According to the source, Snow falls where the air is colder than ice melts. The figures are those of the source and were not rounded. That is less obvious than it sounds. Each of these points can be checked against the original. Where the source is silent, so is this text.

## Points to keep

- Snow falls where the air is colder than ice melts.
- Snow falls where the air is colder than ice melts.
- Snow falls where the air is colder than ice melts.
- Snow falls where the air is colder than ice melts.
- Snow falls where the air is colder than ice melts.

## In practice

For day-to-day work this means that Snow falls where the air is colder than ice melts. It is still to be settled how far this holds elsewhere. The document also says that Snow falls where the air is colder than ice melts. Equally, Snow falls where the air is colder than ice melts. The document also says that Snow falls where the air is colder than ice melts. That is less obvious than it sounds.

## Conclusion

Taken as a whole, the material supports one conclusion: Snow falls where the air is colder than ice melts.','snow.fpf.1.m1.84f.md','default','done',1,NULL,NULL,1,'2025-11-23 12:53:32.719451',NULL,NULL,'2025-11-23 12:53:32.719451','2025-11-23 12:53:33.054404','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,NULL,'generate.alpha',NULL);
INSERT INTO "artifacts" VALUES('01M847G0XGBESWYYAF65WYYYST','01M847G0S0EH68G05T910FY4DQ','01M847G0S3BCEP6TYB7YCY9PKS','fpf',2,1,2,'alpha','m2','[]','# Snow

The text below gathers the essentials of Snow. It begins with the facts as given and then draws the consequences one by one.

## The situation

Seen from the outside, the first point is that Snow falls where the air is colder than ice melts. More precisely, Snow falls where the air is colder than ice melts. That is less obvious than it sounds. The figures are those of the source and were not rounded. The document also says that Snow falls where the air is colder than ice melts. It is worth repeating that Snow falls where the air is colder than ice melts. It is worth repeating that Snow falls where the air is colder than ice melts. It is recorded that Snow falls where the air is colder than ice melts. It is recorded that Snow falls where the air is colder than ice melts.

## Details

Read more closely, it turns out that Snow falls where the air is colder than ice melts. According to the source, Snow falls where the air is colder than ice melts. It is recorded that Snow falls where the air is colder than ice melts. The source notes that Snow falls where the air is colder than ice melts. None of them stands alone. It is recorded that Snow falls where the air is colder than ice melts. Equally, Snow falls where the air is colder than ice melts. The same passage adds that Snow falls where the air is colder than ice melts. The document also says that Snow falls where the air is colder than ice melts. It is worth repeating that Snow falls where the air is colder than ice melts. This has been so for some time. Beside this, Snow falls where the air is colder than ice melts. Each of these points can be checked against the original. More precisely, Snow falls where the air is colder than ice melts. Here Snow falls where the air is colder than ice melts. The figures are those of the source and were not rounded. More precisely, Snow falls where the air is colder than ice melts. According to the source, Snow falls where the air is colder than ice melts.

## Points to keep

- Snow falls where the air is colder than ice melts.
- Snow falls where the air is colder than ice melts.
- Snow falls where the air is colder than ice melts.
- Snow falls where the air is colder than ice melts.
- Snow falls where the air is colder than ice melts.
- Snow falls where the air is colder than ice melts.

## In practice

For day-to-day work this means that Snow falls where the air is colder than ice melts. One point still to be settled is how far this holds elsewhere. Beside this, Snow falls where the air is colder than ice melts. The document also says that Snow falls where the air is colder than ice melts. The figures are those of the source and were not rounded. Here Snow falls where the air is colder than ice melts. Here Snow falls where the air is colder than ice melts. The source notes that Snow falls where the air is colder than ice melts. The same passage adds that Snow falls where the air is colder than ice melts. According to the source, Snow falls where the air is colder than ice melts.

## Outcome

Considered together, the material supports one conclusion: Snow falls where the air is colder than ice melts.','snow.fpf.2.m2.n9e.md','default','done',1,NULL,NULL,1,'2025-11-23 12:53:32.719451',NULL,NULL,'2025-11-23 12:53:32.719451','2025-11-23 12:53:33.050080','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,NULL,'generate.alpha',NULL);
INSERT INTO "artifacts" VALUES('01M847G1YTPPDYWEDV5BDZMHWW','01M847G0S0EH68G05T910FY4DQ','01M847G0S3BCEP6TYB7YCY9PKS','combine',1,1,1,'alpha','m1','["01M847G0XGBESWYYAF65WYYYSS", "01M847G0XGBESWYYAF65WYYYST"]','# Snow

What follows gathers the essentials of Snow. It opens with the given facts and then draws the consequences one by one.

## The situation

From some distance, the first point is that Snow falls where the air is colder than ice melts. None of them stands alone. Where the source is silent, so is this text. The same passage adds that Snow falls where the air is colder than ice melts. It is recorded that Snow falls where the air is colder than ice melts. Equally, Snow falls where the air is colder than ice melts. More precisely, Snow falls where the air is colder than ice melts.

## What the source says

A closer reading shows that Snow falls where the air is colder than ice melts. This has been so for some time. Beside this, Snow falls where the air is colder than ice melts. It is recorded that Snow falls where the air is colder than ice melts. Equally, Snow falls where the air is colder than ice melts. Equally, Snow falls where the air is colder than ice melts. Beside this, Snow falls where the air is colder than ice melts. Equally, Snow falls where the air is colder than ice melts. More precisely, Snow falls where the air is colder than ice melts. More precisely, Snow falls where the air is colder than ice melts. The same passage adds that Snow falls where the air is colder than ice melts. Readers in a hurry may stop here and go to the list.

## Points to keep

- Snow falls where the air is colder than ice melts.
- Snow falls where the air is colder than ice melts.
- Snow falls where the air is colder than ice melts.

## What it means

For practical purposes this means that Snow falls where the air is colder than ice melts. It is still to be settled how far this holds elsewhere. It is recorded that Snow falls where the air is colder than ice melts. None of them stands alone. It is recorded that Snow falls where the air is colder than ice melts. The source notes that Snow falls where the air is colder than ice melts. The same passage adds that Snow falls where the air is colder than ice melts. It is worth repeating that Snow falls where the air is colder than ice melts.

## Conclusion

Considered together, the material supports one conclusion: Snow falls where the air is colder than ice melts.',NULL,'default','done',1,NULL,NULL,1,'2025-11-23 12:53:33.772316',NULL,NULL,'2025-11-23 12:53:33.772316','2025-11-23 12:53:34.116455','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,NULL,'generate.alpha',NULL);
CREATE TABLE audit_events (
	audit_id INTEGER NOT NULL, 
	actor VARCHAR(200) NOT NULL, 
	action VARCHAR(64) NOT NULL, 
	target VARCHAR(200), 
	at DATETIME NOT NULL, 
	tenant_id VARCHAR(32) NOT NULL, 
	PRIMARY KEY (audit_id)
);
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
	tenant_id VARCHAR(32) NOT NULL, searches INTEGER, grounding VARCHAR(16), reasoning VARCHAR(16), queries JSON, sources JSON, summary TEXT, so_far JSON, reserved_usd FLOAT, misses INTEGER DEFAULT '0' NOT NULL, search_tokens INTEGER, service_tier VARCHAR(64), 
	PRIMARY KEY (call_id), 
	FOREIGN KEY(document_id) REFERENCES documents (document_id), 
	FOREIGN KEY(run_id) REFERENCES runs (run_id)
);
INSERT INTO "calls" VALUES('01M847FWPD57G5AZCYRQ4E0H5J','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','01M847FWNRC4PK2XWA8FMGPMBG','artifact','main',1,'alpha','m1','23f12c6511e04a829e0206aea9c6c27b2d49971fa8b2bba8fe139d12116de397',1,'done',0,1,200,'stop',115,531,0,NULL,0,0.002239,'config','chatcmpl-bff5d776ef0b862250b70073','req_cdf2018643095a3285d23dbc',0.0,'2025-11-23 12:53:28.397740','2025-11-23 12:53:28.713467',NULL,NULL,X'789CE5554B8EDB300CDDFB1404663BC901BA9B45079D453F9806E89AB1685B882C7A28B9866FDF273939403CD975132314F9483EFE9EE8DDFF154B4DF367E04C9D86A04BA29EF30029E197242589D97348A4DD55FD486F99325F6453E9218CD4719B1375DE52268EAEBC4472C6CBA6D46A4CF2314B6C61A551E8BC96CFB1699E9EE80485E4F3CCD96B6C9A57D391928E42CEA7CC3079AE181BF8A43E66F2051631335989895A36F3805E38E35F57108AC9E00322CF5AFF24E123FD28CE910A047002749788430985BE7ECC1CC2FA7C3F6849C0693B8FE00A684929F1BA37C2534DB59F0DCA6C82074DB79041CB6CAD548617C163D44CA67374E2364B3507781F69197C3B149BB5A26C55026D4E823F8B218A8DFC176A031C1805D54BD3FC8C88F82A3161E7634F1E594C93B0ED4DE95B09F56EABFDF578AB0D62D21636DC27EA70A51B2CCBDEDCDF416299265F881D66B395465ED17A3AD15079412D7BBDD904B4FCC37C5718C6204D9C12F7F0E5DC67B01EDAE38F02AB5DFCAB6C852ABE884C4D73405FDF09F39F9B1416EB19C0B48FC21157E1558D1CAF87AC077C6851BB401F9355DF7796BEFA3019D9C7FA702EF29C03E614C8832E3825B6B91934A05D252459CAA494B629524E30C23243D77488B05E8AEC47B97F013E6ACE5EDAB269CAAABC492BE68ECDF55D11EA84CDE593EC597DB58CBFE771645B9BE684238DB5833B0236345CEFE8583070D229CDD3A496B7838C0BDD8639E1027FB9DFEB3F3DD1EA9F','laptop:32621:01M847FWJNVYKT0KR2R55B76CW','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847FWPJZ5GRQ6WN312WC2VN','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','01M847FWP1VZGM5DZPNBG5TY34','artifact','main',1,'alpha','m1','1f89431bbe65288a8414676ac73d3668c2ad7d4519303bf3567bc21f7e43b96a',1,'done',0,1,200,'stop',114,572,0,NULL,0,0.002402,'config','chatcmpl-0def15a0fa8a815e3d412658','req_db7b9bef18c2672f926e4b1c',0.0,'2025-11-23 12:53:28.402435','2025-11-23 12:53:28.707769',NULL,NULL,X'789CE556B16EDB3010DDF51507648DFD01DD32B44080A2ED60C0C87826CF16618AA7F0A808FEFB3E52713A06560D74E82202E2F1DDE3BBC7231F681F92EFBA7DCF858E1AA3CE46272EBD64237C49CC2495C0D1488F2D784BCF850A9F6509388537497464578C8E215B214EBECE24F299E725C86932799D2439ACD22474B8D461DB750F0FB4473241584827232B5CF97C573D8BA74A2AEB403A150B5E1E1BD89265D4900A858A8FA83DE7813864CAC1C41E1B07A7D1B77F0BD900826364275B7A724EB3473E2ADA204DA7EC007F1BCC73CB3F6B2E3D6519854B83BC9DCF0294A5B212BF0661D703A067A383407853D4326318A06B18DABC5005CF1412CD7D707DDDF785385F2B88F55E623848E6D2167023156100D2C35BD0A9498DC052E54ADEAED543E01F0DC9F8625DF7442EAA215D166E425BAFF3AA5AFDA87681F5906258DC61C4B19AE75E65DC354F9DA68CDFDC9C08E6EF29AFBBAA0873B569D242B96E5FFCDD087C7D9D38C6CBEDBC3F2FD1A7C6B8A3865EDD34A059A03CC8537DB0CEC91FA2436BF997E7BB51614835B2199FE002EFD7F069E7E457ED5756099D45C6AEDBDC88F1BFC57FF4169879104E682ADF605DCF974DD10D86DA78CFF5DAB0657E8D515EA4D48A1C50672925A2F7D6D3A233EEB3BC40F7586B24D164AED7D47DFCB9A21BDFC789773D197F27422BF0CFA938F4A2AEDB613611DA14430F8DEF37FD80CD67BC3DC8A671C435BBBC1DF0987071B2A0E9CB8D297F0396471AF5','laptop:32621:01M847FWJNVYKT0KR2R55B76CW','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847FWPKJ8CHC7XN08PDTVYZ','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','01M847FWP1VZGM5DZPNBG5TY35','artifact','main',1,'alpha','m2','dde6741b534c0fe6d7125b3131ab3aa0531c6b17f2ab565554d19518ff5acfd7',1,'done',0,1,200,'stop',114,608,0,NULL,0,0.002546,'config','chatcmpl-7077d9e506acd956cd23f959','req_0fc163cd0de9e80370a00af2',0.0,'2025-11-23 12:53:28.403431','2025-11-23 12:53:28.709462',NULL,NULL,X'789CBD56B18EDB300CDDFD15046E4DF301DD72458B66E87640665A626CE164D127CAF1F9EF4BCAC0E1B6D64EDAC57164F23D8A7A24F50497907CD3BCF40485DE0BB41479860E4B4F59409F4022944AC028C0D76A7E84B319762109CCA1F4D5EC8AAE08A040176E940093B7E5043EE3BC02394E426F1325470A9508DAC57E8E4DF3F404CFE85EBBCC9305F323F300C203810F5250ED0F2B45C85260E4900A04C3C40217CC0360C89083901C2AAFE3E8EB5AC157A50A1AD718D1D1112EBA2BAA58C25376643012A2EEEFA02B2BA83D341347F8FE36618CCB612387A5D2B39B064505CD1A83E0B22BDA9F16EC36975FAC2E6326A7C6DB433FD7BCAA37674F7E4FC877F157215C8CF4D30959F29AE6042EB290E210FA903A909EE75D493D39DB9D4114FEC4B32F553367957FA691B054C8EDF13C93044F55777B9426A86532A2087604E8FDFF129A719B4A328404731F5CED020BA022AD1D40D3E32986963296BB95799FF78B1575AFBDA9250D4C2BF2CA796D30250CF53BD6E38CDAEB80DB5BE0A9E65137514C1FC9CB238AE34F61DCCFB05F4CB5F64EDAB0A08BD6719BE6CB46807F6D6F019E938A40074DB000F50FDD282F1E978FD5B57F0F8469E77C50974C03DA68D3FED06A815129514FC38E4E27E315F3CAD12B880045A1D986CABD12DD396C1ED6861E06F4B8F1F777E5727FC85559DF38B93849E0D434FA6E6594AD06B923BB0AAD1790413B59D69B10C8348ECABB5E63DC87EBD78DC4BF0171124E3F','laptop:32621:01M847FWJNVYKT0KR2R55B76CW','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847FWPQA83NZAFNM4NBZMBA','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','01M847FWNRC4PK2XWA8FMGPMBH','artifact','main',1,'alpha','m2','dacb055af6d6ff59b3080e96c522cb9f5453aaaa971e4524a79e7f7bbf7a9ae9',1,'done',0,1,200,'stop',115,594,0,NULL,0,0.002491,'config','chatcmpl-a28925e25e112d545afa02b0','req_dc8f3cc26fffe7ab99a234ef',0.0,'2025-11-23 12:53:28.407881','2025-11-23 12:53:28.717738',NULL,NULL,X'789CDD56CB8EDB300CBCFB2B08E4BAC907F496ED030DD0F6B008D03323D1B61059F44A720DFF7D4776BAD722DA1C8A5E2C9B16471439236A472FEE97C4D4343F7BCED4AAF73A27EA38F7B0129E242949C88E7D226D6FD30F74CA94F92ADB940EC6402D9B9CA8753165E260CB9F4036F2BC4D321A92BC4E120CBC34085D96321C9A66B7A36736D72EEA146CD37C53BD8AA5124ED48174CAC959795A4136F4515DC8E40A2E6631C51214198ED1017BE68CAFD5B7B8F4CE23F4ACEB47123ED0778D426314E392F8E5E97E80A3311AAD0BDD9B55A768A402E91F0AE55C5E7840389C1277426C6D6586D7927E92CCCE83592FC29686B251E375DBA6037BA61852296E6511BF0A00EFF63AADB49935E69EA28CC2794D5D5504655F45242EC0B79F625C68E08552D691FA353A88A0D33F3EDEA5BC65D9AA9906688AA02945CE975A227F7E9DD857D166CB037807F288AD5CFEDC03A3E7441781D2B1955623065028BB416E8C5AE94841B3D4EEB2AED255D579505A1E57E25549C7E2D779C6C9D9347B3ADE8BF13FB9947C9C028E4C341B57F2F1059CB3BCECB3EE3114695F311B551C84432DE5361EA48C1FC57E29E69C3D28D1EB8C4617B7257AF53822C527990BA5FEAE886729AD6C75AE10ED8FD235D1836118101C089CC0AFD2432B35F2EEEEF36E80876BE5A306E3A7E43434CD191714A81F49A219A5BA5D21860283EB0CA5691CD108B6CB8879F3FB70FFC2BF0117EE43A9','laptop:32621:01M847FWJNVYKT0KR2R55B76CW','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847FX1ED60VQRGXAHD6KZPE','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','01M847FX0EJ13EEPFZH9XEPJMX','evaluation','main',1,'alpha','j1','f47a261671dfe6036468da5f66ff076b68085bc86a4b67ad91cccacba0c7dd36',1,'done',0,1,200,'stop',1392,118,0,NULL,0,0.001864,'config','chatcmpl-fd523d5dfb2a560b1a99bcee','req_91074faa1890dcfb429500a3',0.0,'2025-11-23 12:53:28.750168','2025-11-23 12:53:29.064159',NULL,NULL,X'789C95904D0AC2400C46AF12B296E24EE905BC80E03A8CD10ECE2465328A457A77A7527FE9C22E43F23DDE971B9273E744AEC3FA8689C954B0C68DEA1E54E0B9ACCB103AB0482140AB5EB20125066D592A5CA0394D8CF5AA5FA0D3D806CE2C6C36C9FC3CF893BB1EB88192CFDF9ADB8621F33583B782958B17E7E5085EC017D098F8F14B1CF842E27806E995F9611D3445CAB95C4E367DAF67FCCFCE31522A3D71D750066B994E36A08A0944B551F1FDC3215F940F7ECF8F56CB6ADDDF01E4C0A447','laptop:32621:01M847FWJNVYKT0KR2R55B76CW','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847FX1KJYF4TW87FVSWJXP8','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','01M847FX05A5GMM4DG0138VF8A','evaluation','main',1,'alpha','j1','d101249eb8cde09e20c2f66a4a20dd097a3962ca18fa4e46b284a1b7af1d8a0c',1,'done',0,1,200,'stop',1405,114,0,NULL,0,0.001861,'config','chatcmpl-e0827a9a7bf0767f8a9b07c9','req_6d82daa334dde318fe64278b',0.0,'2025-11-23 12:53:28.755225','2025-11-23 12:53:29.070342',NULL,NULL,X'789C95904D0AC2400C46AF12B22EE2CED20B7801C17518531D9C49CA64144BE9DD9D8A3FB5BB2E43F23D5EBE01C9B95B22D76333606232156CF07061C8FCC8E00D9CCADD8BF372062FE0B3C127B2C10ACD69626CEAB142A7B10B9C59D86C056D1E5B1203259FD7A8BD1333CEAE701207BE93385E41FA66164EADA6483997CB3FD85EF5042AF05B37650C3D58A410A0532F537389413B96859FDD62A454FEC4E3853258C774B509554C20AABD14E7AD17DDD69FF8F5D176538F4FD96B9E6C','laptop:32621:01M847FWJNVYKT0KR2R55B76CW','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847FX1MNZGGC3AZ4MP3CQ78','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','01M847FX04ZFH74ZDXAZDQ2DRS','evaluation','main',1,'alpha','j1','cba9a6beaeaeb94e0ba9a72a045437c396be38412f09db5cdd0809e64b65d64d',1,'done',0,1,200,'stop',1369,114,0,NULL,0,0.001825,'config','chatcmpl-d7bf2b9f38b5f40e54857010','req_911495b261e32d5988e02b00',0.0,'2025-11-23 12:53:28.756348','2025-11-23 12:53:29.071388',NULL,NULL,X'789C95904D0A02310C46AF12B21671A7F4025E40701D3AD129B6C9D0D44111EF6E1DFCED6E9621F91E2FDF0DC9FB73267F4577C3CC642AE870D73314BE1408065E650CE2831C21088462F08E2C7181E63533BAF57D815ED310B9B0B0D90CDA6FAC2546CAA1CC517B251A4EE6C82389E719A44FA6611D34272AA55EFEC1B6AA1DA8C077EDEA18AF6089628441833C9BCB0C3AB0344C3BA744B9FE89FB9E0AD8C074B227AA9A40529B147F5BAFBA87D0F1F4D16AB9B93F00D6269E69','laptop:32621:01M847FWJNVYKT0KR2R55B76CW','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847FX1P35SDN5V5035CZQ82','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','01M847FX09QSRVGA2X2YDK1ECZ','evaluation','main',1,'alpha','j1','9247e1500a4e1e1d8d042b2e3490568d57081fc14393e6eb3dff5756065b8ffa',1,'done',0,1,200,'stop',1329,121,0,NULL,0,0.001813,'config','chatcmpl-f14bc5bb06ab9782eb1215c5','req_aa820a9ad620460e227e3ee9',0.0,'2025-11-23 12:53:28.758050','2025-11-23 12:53:29.069165',NULL,NULL,X'789C95CF3D0AC3300C05E0AB08CD25746BF0057A84CEC2515A53DB3296530821776F52FA93C143338A277DE84D48D60E99EC8866C2CCA412D1E059A40389F009CD32F8113490F790C4C5A240994112C7060FA85632A339CD07B41292E7C29155ABE676618FEB29BB527FF39DEDD0327B7E50B45CF5BEE90EB1971CA81417AF55F217FF69B68BA943089497CE78B951014D4C775D297005826801A71B79BDB6127BD7F1ABD9B169E7274D50A786','laptop:32621:01M847FWJNVYKT0KR2R55B76CW','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847FXDDAYXQQ2H87DJD7ZHR','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','01M847FXCJFNHE5XAGQCJRWEVF','comparison','main',1,'alpha','j1','8e31485e413ccc629f79d8f8992d6f7627fa05cad6a8154ff1d8222d0c6e6f1a',1,'done',0,1,200,'stop',1720,25,0,NULL,0,0.00182,'config','chatcmpl-98d502898b01e8aebf6ce4e1','req_622716903cf18ac4d6bb45af',0.0,'2025-11-23 12:53:29.133980','2025-11-23 12:53:29.443775',NULL,NULL,X'789C0DCB310A80300C05D0AB84CC5204B71EC23BD4FA6D3398421A5011EF6EC737BC970DA937152D1C7985788591E376924E1BDC07B787129DC98A285DCDBC92A6738CC0135FA20A1BD70583B9E9213B3483E31CE6E5FB0196A22149','laptop:32621:01M847FWJNVYKT0KR2R55B76CW','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847FXDJF85Y78KCD6ADVG7F','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','01M847FXD0M81B9M6NAHN30HXN','comparison','main',1,'alpha','j1','c5a420efc7fa94b9e47679a2d8d1d37fbc7abc051e7a2765e69e1e73e316ff3c',1,'done',0,1,200,'stop',1773,27,0,NULL,0,0.001881,'config','chatcmpl-4ef394ceb16fd3992cff170d','req_3e3e06d32000f80c4c1c14d8',0.0,'2025-11-23 12:53:29.138840','2025-11-23 12:53:29.451567',NULL,NULL,X'789C1D8C410A80300C04BFB2E42CE249C4A33FA935D58226D0A628887FB77ADC99616F4AECB24A9495469AD436B8C428D9CD3B37988BC1F8324C8819B6310EADDAD726941D1A7E66A7B6D4D01945387D37757895101716CF34766D3F3C2F9DAC2357','laptop:32621:01M847FWJNVYKT0KR2R55B76CW','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847FXDKQ2M75Z4X78K5ZWXM','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','01M847FXCJFNHE5XAGQCJRWEVE','comparison','main',1,'alpha','j1','36a3188e5e6bf8996f82499c7cd60341cfca6d8d0f2a6440da730e2602d6dfc2',1,'done',0,1,200,'stop',1720,27,0,NULL,0,0.001828,'config','chatcmpl-f75c8dd71a59fa61330559a2','req_830506a46b3783caae2119b1',0.0,'2025-11-23 12:53:29.139855','2025-11-23 12:53:29.448105',NULL,NULL,X'789C0DCC410AC2400C46E1AB84ACA5881BA1BBDEC10BC4C95F1D2A89248111C4BB3BCBC707EFCB0149B76E0F5EF9864FD14607F04E6A2F4F0495D3784AD19024C9034A624A3DE98EAAE91E8A802E7CE2D1CD10F3B3CD686E7B575803AFE7E572FDFD01E290243A','laptop:32621:01M847FWJNVYKT0KR2R55B76CW','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847FXDMYEE6J9G0767BQE2X','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','01M847FXD0M81B9M6NAHN30HXP','comparison','main',1,'alpha','j1','9f30622c7dafcae91f282d0b5d14c1fa4adb9d3413dca56578058446301d0190',1,'done',0,1,200,'stop',1773,27,0,NULL,0,0.001881,'config','chatcmpl-1573c6317572e605f23e440b','req_48f9037cfb0958c1e370d98a',0.0,'2025-11-23 12:53:29.141022','2025-11-23 12:53:29.450395',NULL,NULL,X'789C0DCC4B0AC3300C45D1AD3C342EA1A35032CB1EBA81E03CB7025702D9F99492BDD7C33B38F727C1A5BAA9BD649227CF8619C97746457B13D5B748C4C783C85B295F2CB6422BBA52069A237B297E0C729343CD18FD33F7486E59575AA24CF7617C5C7FF3DC247C','laptop:32621:01M847FWJNVYKT0KR2R55B76CW','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847FXS6KJW1RNBXR7DEKF74','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','01M847FXRFG24PB4F8CGK5RV7N','artifact','main',1,'alpha','m2','e109172acbbfcc6940d671393500e194268f9e6dfdfd438147e863f83201bee4',1,'done',0,1,200,'stop',1718,767,0,NULL,0,0.004786,'config','chatcmpl-ba27277d60121addc2125091','req_a93a841045563031050cc929',0.0,'2025-11-23 12:53:29.510871','2025-11-23 12:53:29.819734',NULL,NULL,X'789CE5563D8FDB300CDDFD2B08644DF303BADD1537046897E280CC8CC4D84464D127CAF1F9DF97928BEBDA38C675E812030EF9F8F5F8CC1D9C38FAA679ED0832BD67385390095ACC1D2505FB0552A5981983825CAAF9018E1964A0A83071EEAA55CB378A7041971530FAF22E824F382D204EA2D2DB48D191C14482F35C1E87A6D9EDE019DDB54D329644BE8B5CC90366B824E941C6ACEC695F412E9C34C3201C3370C135AB13A61E90132456D27D8DED24F8FA2EE3D5C2B1A5340474748052A61737F656115845028AF32AA497B7114398F777BA3D5329C702B2DEEBFA93D097997004846E4C69861E67D02C03D8B0A8BAB702596AB3026B3EC00FB13F8644CE22DC9FEDCA2257BA95E128F6962FAA626B0579BF6A36C74A8F49927133D1409839B62B802A394FC5AD3454654C8E2A619AE6095C1025C3B1A91474ED64FA4C22BDFEC9284AA67FBC0D4FCE49AA7DF8CDBE25B5FB8BC23ABA609A0372BEB18C359D684605327A7D94D25BF46D2B7EC10BBAAE88AA754C6911360567E59E4D313B7255095BE4A80B052571CB11C386296C34B907746D3B166E31DB0DD8B5818455E539C6A22A2937CD973BBDFF37FB0F9D3699E809A309B4358F6E94666F9FC821D959C26EA1E762B07EED35730865596C4795720EB6A3A6FD76FAA405BF3300050A4A53F92C3FB2E5DB887CC909D5A2D94566DB7591640FE368E6FEB1CD5D1A62BB620A427E4D720FC9C6277C2BFE22C4A62BFF4DA20BA3B2443B318C66E5D60B61B97E7BCC94EC0C071D87C16461B9A3DD87C7D73BE3FD02648E2C8C','laptop:32621:01M847FWJNVYKT0KR2R55B76CW','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847FXS9N4X1ARSF24EGBZ8T','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','01M847FXRRBY712KEA2S3JDZBC','artifact','main',1,'alpha','m2','c56834b8ae8ab02fd003fa0e7a9dd7827c2f1afb80827c864488c1b7bda1431f',1,'done',0,1,200,'stop',1673,715,0,NULL,0,0.004533,'config','chatcmpl-4a43a28b5de0ea17a85333bd','req_ffc5754d8123ede535c1e04b',0.0,'2025-11-23 12:53:29.513039','2025-11-23 12:53:29.815814',NULL,NULL,X'789CDD56416EDC300CBCEB1504724DF701BD154580E6D0262882E6CCB5B96B22B2E84872DCFD7D87769AF65420EA02297AB1218A1A51A3A1C80BFAAA4F924B08F703573A588CB6143A721D60257C494A91549563213B3CBBEFE8BA52A99C6BA143B671753C70872163357C1271EADD9CA8CFBC6C509DA5228FB3A44E009684F627FFED42B8B8A08F96AA7CAF217C5359A4DF70997AC53E5870B9EDA1B9549A4C5325755004CD943D28EA386705F0C215A397B0068D08BDDA3A28C26BEC58BB58AE03659984ABA66323D63D78926D6873EEC4918B46307609CB16A37F70B21D5D3DCE1CE3E9F2F5DBDC39C8006EF70246017CB08CDF88AD75149F8723633871297C14E2BE6FA5E7B3E14453964E8B3406EB17759C339C7965C78AB8787EA3C9D5B13875C92A659B532FFD8EBEB82836C7D1F59570088E2E11BAE26E789E02D8AA8082901218A16E90EE0192E1236B823E7C1FCB7AD4C47113D707EA2282C814CD1E42B8813C7F5AB270EFF7AFA06A8218722B6F77EBAE3D9C34D13228E2C5DC69A5604B09DC612F51F792817506A2DF1EE09CA9D49E1DCDDA386FFCCD519C337BCF89F5C913F44D35D1FE9434AB697D2F6EB7DB83F941640AE11D5E9057C2FC4F4B9EEBF34BF10EE11A759D359EF07AA0ECAB17BE8AFA3E02ADB7256DABB5BC6F954FA99870FBDECDB54624CF600B9A8CBC55D4C122742DB1C8E225B855AC7FAA38CDEF515B28779E21385944C745B67F529BD7C44D4E6D715D977F2125FFA6891188A39B47744720195D4CE153E3DBB44AF266AE2EB9B59EEF39FE6A13475F8D9695CA3C4DE65DAA5F33DACF2ECE452DBD5E96E1076E99F1B7','laptop:32621:01M847FWJNVYKT0KR2R55B76CW','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847FY37NJ2665PZ4ZR90KWA','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','01M847FY2RQTGT4K86FH8K8XFQ','evaluation','main',1,'alpha','j1','956ec08c4dd8142706b6f0f27405469e1de7f56c1f13309979acbf09efc523d7',2,'done',0,1,200,'stop',1513,114,0,NULL,0,0.001969,'config','chatcmpl-acc6adc49acd7ef79b25a232','req_87a42dcfe28344cc7caf86f2',0.0,'2025-11-23 12:53:29.831705','2025-11-23 12:53:30.134693',NULL,NULL,X'789C95904D0AC2400C46AF12B21671A5D20B7801C17598461D9C49CA642C96D2BB3B167F6A77DD05F2BDC797F448CEDD13B90EAB1E1393A96085C72B43E647066FE0545A2FCECB05BC80CF061F648D2B34A789B1DA0D2B741A9BC09985CD16D8A6D8DC1828F9FC5FEDA05A830ABC775599430716290468D4CBAB5F62D08665664B1CB82571BCA0DC9799B9CE9A22E55C920B643F6862DB169BDD63A454EEC4D3953258C3741BE30583A836FAA65F2FEEB3AF79BC65B3DE0F4FCAE89E68','laptop:32621:01M847FWJNVYKT0KR2R55B76CW','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847FY39S713HENZRNWWCQYQ','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','01M847FY2VBN6542DY7ZNPD5ZC','evaluation','main',1,'alpha','j1','7ce5d42a07687582a9fddca32fc8237985d8b74bd4ba73013707abdae068738d',1,'done',0,1,200,'stop',1564,123,0,NULL,0,0.002056,'config','chatcmpl-863abd596bf9b91f4d15173d','req_7ff7771ba538b2774783d3f7',0.0,'2025-11-23 12:53:29.833608','2025-11-23 12:53:30.136621',NULL,NULL,X'789C9591CB8A02410C457F25642DE2ECB4F7827F30EB589DB60BAB12A9A4D546FC77BB9DF13182E06C937B0F27E48414425728F4589DB030990A56B83C064E89C541056E890A44BD8DB2016DE0C071D33A44831CCD86E1142768410B63F5353B4F3068DE257616367BCF7E4E7DCC5F8CF84425FA5FEB15953AF540D2FF605C81EA1A68AD9DC36FE155B370E23D49E0F78EF7C8BF041B2D99DC87C5E78E8FCEABA675395319CEC5EF961C6CC7B4B5310FD121AB5D456E8F1ACB41A589355F0F9B4DE7E70BF642AB16','laptop:32621:01M847FWJNVYKT0KR2R55B76CW','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847FY3AGC6MNGNY6XS6W93H','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','01M847FY2RQTGT4K86FH8K8XFP','evaluation','main',1,'alpha','j1','956ec08c4dd8142706b6f0f27405469e1de7f56c1f13309979acbf09efc523d7',1,'done',0,1,200,'stop',1513,120,0,NULL,0,0.001993,'config','chatcmpl-1c0d512e23b5c6d9b89ed780','req_aa60eecd0b3fe3a4b13a78fc',0.0,'2025-11-23 12:53:29.834581','2025-11-23 12:53:30.136033',NULL,NULL,X'789C95904D0AC2400C46AF12B296E24AA517F00282EB30A63A389394C92896D2BB3B15FFE94297E1CBF778498FE4DC2991EBB0EE3131990AD6B856DD810A3CC2BA0CA1038B1402B4EA251B5062D096A5C2199AD3C4582F86193A8D6DE0CCC26693CCF7851FB9CB911B28F93CAD79CFFEB04C1CF84CE2F883B7393064BE64F05634E5ECC579D98317F005F5EC7CB11A4D91722E9B9372AFF80F3F3BC548A95C8BDB0365B096E96823AA984054BB2BBE3E39F68B72E3777CBB6A5EAD862BB7CAA64D','laptop:32621:01M847FWJNVYKT0KR2R55B76CW','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847FY3BDTGQTK2P84D76AHG','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','01M847FY2WQ7H9VRAQ99NYD552','evaluation','main',1,'alpha','j1','7ce5d42a07687582a9fddca32fc8237985d8b74bd4ba73013707abdae068738d',2,'done',0,1,200,'stop',1564,127,0,NULL,0,0.002072,'config','chatcmpl-17112fad6660542f565352fc','req_eafca8520966c22560cc3058',0.0,'2025-11-23 12:53:29.835644','2025-11-23 12:53:30.137131',NULL,NULL,X'789C95D1C16AC3300C06E057113A87D0DD46EE85BDC1CE9AA33466B6142C655B287DF7A609DD324607B95ABF3E61E98C14C258284CD89CB130990A36F842A54D13904CDE4739812B50DB02BDE9E870EFA8B1420B5A189BA7C3A5C2A07948EC2C6CF64B3B7E054E89C54105B6A90644D701DAC127C753EF100D72349B1FFFF8894AF4E91F7A0DEC530B27FE2009FCD8FD8EEC933B2D99DCE7CA63FA27B3CFB631672AF32EF0B527071B98DEEDA64174C86A4BEFF65041A58B2D2FFF3CD4CF972B7CB4B09E','laptop:32621:01M847FWJNVYKT0KR2R55B76CW','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847FYE3521PEAT20RTVMGAJ','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','01M847FYDE7YSTCWX51H03JC9Z','comparison','main',1,'alpha','j1','676f8afdbbf3912ebfeb93bdce61c5ecc8a68bd1a1cb0a5fa8f02a25fc9fb02b',1,'done',0,1,200,'stop',1841,27,0,NULL,0,0.001949,'config','chatcmpl-07faf0b0379d441294e916f3','req_f15ae8658eb2d9fdc15e8749',0.0,'2025-11-23 12:53:30.179564','2025-11-23 12:53:30.491499',NULL,NULL,X'789C0DCC4B0AC3300C45D1AD3C342EA16452C82C7BE80682F3DC0A5C0964E7534AF65E0FEFE0DC9F0497EAA6F692499E3C1B6624DF1915ED4D54DF22111F0F226FA57CB1D80AADE84A19688EECA5F831C84D0E3563F4CFDC23B9655D698932DD87F171FD01F3CE2477','laptop:32621:01M847FWJNVYKT0KR2R55B76CW','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847FYE8BD6ZKKB3ZDJWKYRX','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','01M847FYDE7YSTCWX51H03JCA0','comparison','main',1,'alpha','j1','925e4cd86449a19a4dcf57d632cbd5f734c482c1d3eb0dd3fe019181265a81e0',1,'done',0,1,200,'stop',1841,27,0,NULL,0,0.001949,'config','chatcmpl-9e81da1b36fe948e3b300fc3','req_8e1dd8d5264bc22fb478adea',0.0,'2025-11-23 12:53:30.185097','2025-11-23 12:53:30.493044',NULL,NULL,X'789C0DCC410AC2400C46E1AB84ACA5742774D73B788138F9AD432591243082787767F9F8E07D3920E9D6EDE08D6FF814ED7402EFA4F6F24450398DA7140D49923CA124A6D493EEA89AEEA108E8C2171EDD0C313FFB8CE6F6E80A6BE06D5DD6EBEF0FE28A2438','laptop:32621:01M847FWJNVYKT0KR2R55B76CW','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847FYE90ZJW2WKZC6M2QVTS','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','01M847FYDE7YSTCWX51H03JCA1','comparison','main',1,'alpha','j1','371faf14dfcf4e54f7fc78eca53cefd9eea44576583d3de45240118b78295871',1,'done',0,1,200,'stop',1904,27,0,NULL,0,0.002012,'config','chatcmpl-eab4d353fb448c540a252448','req_59375b3ea4d878c05b127a10',0.0,'2025-11-23 12:53:30.185542','2025-11-23 12:53:30.494436',NULL,NULL,X'789C1D8C410A80300C04BFB2E42C229EC49BFEA4D6540B9A409BA220FEDDE27167867D28B1CB2A51361A6956DBE112A364B71CDC602906E3DB302166D8CE38B56A5F9B500E68F8995DDA52435714E1546FA63ABC4A882B8B671ABBB61FDE0F9D492351','laptop:32621:01M847FWJNVYKT0KR2R55B76CW','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847FYEAH9WN3YYSW0ZNMJQC','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','01M847FYDJ2MG3KFJSKXZFMEBZ','comparison','main',1,'alpha','j1','6e8ec21a449233bb5bca90b7bfc41b5e6a845ae9e11c58854d7107736602dd90',1,'done',0,1,200,'stop',1933,27,0,NULL,0,0.002041,'config','chatcmpl-1b9de0011ed272620dd257ff','req_71ed8df98ebec06022461508',0.0,'2025-11-23 12:53:30.186812','2025-11-23 12:53:30.493612',NULL,NULL,X'789C0DCC410AC2400C46E1AB84ACA5B8B5BBDEC10BA4935F1D2A49490223887777968F0FDE9703926EDD9EBCF21D9FA28D0EE04C6A6F4F0495D37849D19024C9034A624A3D6947D5740F454017BEF0E86688F9D96634B747575803AFD7E5F6FB03BEAA240A','laptop:32621:01M847FWJNVYKT0KR2R55B76CW','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847FYECRF6A3QMCZ1KN9XAM','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','01M847FYDE7YSTCWX51H03JCA2','comparison','main',1,'alpha','j1','c7d9e9071c77971616a852807c93e026051fa923fc2d7f80bce23c075742f300',1,'done',0,1,200,'stop',1904,27,0,NULL,0,0.002012,'config','chatcmpl-14be453876d85df4d8919365','req_43f42ed2732fdd400fe6a6f9',0.0,'2025-11-23 12:53:30.188100','2025-11-23 12:53:30.494681',NULL,NULL,X'789C0DCC4B0AC3300C45D1AD3C342EA164D60CB3866E2038CFADC09540763EA564EFF5F00ECEFD4970A96E6A2F99E4C9B36146F29D51D1DE44F52D12F1F120F256CA178BADD08AAE9481E6C85E8A1F83DCE4503346FFCC3D925BD6959628D37D181FD71FF43F247B','laptop:32621:01M847FWJNVYKT0KR2R55B76CW','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847FYECRF6A3QMCZ1KN9XAN','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','01M847FYDJ2MG3KFJSKXZFMEC1','comparison','main',1,'alpha','j1','239b5c3d9dc9d25a740d7f252a4738862ffaa659abfcd04398d41fd621b9f9fc',1,'done',0,1,200,'stop',1969,27,0,NULL,0,0.002077,'config','chatcmpl-4992cce9dbc61d081a650501','req_8ff7efdab48835aac5f5a2a6',0.0,'2025-11-23 12:53:30.188376','2025-11-23 12:53:30.496032',NULL,NULL,X'789C1D8C410A80300C04BFB2E42CE2450FDEF427B5A65AD004DA1405F1EF168F3B33EC43895D5689B2D148B3DA0E971825BBE5E0064B3118DF860931C376C6A955FBDA847240C3CFECD2961ABAA208A77A33D5E155425C593CD3D8B543FF7E9D4F2352','laptop:32621:01M847FWJNVYKT0KR2R55B76CW','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847FYEDMANMD6KH3ZZB5VQ3','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','01M847FYDJ2MG3KFJSKXZFMEBY','comparison','main',1,'alpha','j1','1ac7f786aa909570df1e0aa2012089d879b587677f811bf5e99780cffff2c53a',1,'done',0,1,200,'stop',1933,27,0,NULL,0,0.002041,'config','chatcmpl-ce2aab99d8fc9e8abd16f615','req_d7a046158d528b3f95ebd5d9',0.0,'2025-11-23 12:53:30.189376','2025-11-23 12:53:30.496471',NULL,NULL,X'789C1D8C410A80300C04BFB2E42CE249C4A33FA935D58226D0A628887FB77ADC99616F4AECB24A9495469AD436B8C428D9CD3B37988BC1F8324C8819B6310EADDAD726941D1A7E66A7B6D4D01945387D37757895101716CF3476EDD03F2F9DAE2357','laptop:32621:01M847FWJNVYKT0KR2R55B76CW','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847FYEEY9VDAJH00ZRE59Y5','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','01M847FYDJ2MG3KFJSKXZFMEC0','comparison','main',1,'alpha','j1','b2cb77bae934abc53a40b9c909ff5f9c8c569414ad7b92f623d83e5df4bef8cc',1,'done',0,1,200,'stop',1969,27,0,NULL,0,0.002077,'config','chatcmpl-e2bf695d2fa69c73086e2596','req_f31c4349313f1f429754c772',0.0,'2025-11-23 12:53:30.190036','2025-11-23 12:53:30.496789',NULL,NULL,X'789C0DCC410AC2400C46E1AB84ACA588CB2E7B062F904E7E75A82425098C20DEDD593E3E785F0E48BA757BF2CA777C8A363A8033A9BD3D11544EE325454392240F288929F5A41D55D33D14015DF8C2A39B21E6679BD1DC1E5D610DBC5E97DBEF0FBF072405','laptop:32621:01M847FWJNVYKT0KR2R55B76CW','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847G0Y63AV33MF601XHSRQ1','01M847G0S0EH68G05T910FY4DQ','01M847G0S3BCEP6TYB7YCY9PKS','01M847G0XGBESWYYAF65WYYYST','artifact','main',1,'alpha','m2','6ea4dedcd900922f2bdbe9ca491668c6ef6fb1dd83041fa982a944462450d894',1,'done',0,1,200,'stop',115,788,0,NULL,0,0.003267,'config','chatcmpl-18014eb1abfaed87b103f0d9','req_be04f64ef8bea195257df816',0.0,'2025-11-23 12:53:32.742561','2025-11-23 12:53:33.048900',NULL,NULL,X'789CED56CB6EDB3010BCF32B16C835F607F4D6478AFAD0A668FC0334B5960853A4C2A5A2FAEF3B4B1968CE8C80E6D08B0448C3E1727766B977F414D362CC71602AFCBBD089435AA8B765E02C8427B108C7E26D104AE70ADFD34181BD8F428B2F43859DAD2B4256A8F72F1CC9C64E3F47EAB25D562297A2F0F3CCD131A822D3E9AAAFBD317777A401882FB32D3E45639E184BCF398D75659A8BF88EEFD78D7C964253F2B19057665B6A54882020C6058173055A9F15E052E8382B2E92774C2387227BFA9E009B323B2F1CAEF72D1447DD1ABF035244E9F4E2D32C3750214973EC2A4843EEE78C43DB4A9B843593CA0F50069F266BD13D632A94752177EBCA2EB97944FA09E94F24F6DA7EE0438D75491905CB3C31321DFB77C58662A48CA3FF639AAAC72F5CAC0F62CC2FB61D8D2A1617D22A1554B7CC19E2872E9B63FDE834CA9AB4F44A0B4D42DC287DC7BF8A8410B95D6A3FD4DDABC44792027943FB41BDBE55A80FCF33F0ADB6C531ED08F75B11DB03DE75ED677DD72E3D0EF837A0299FB49F22B673CA78E1ECC58FA8C627D6BE8A655E9A52F960DD702B349A5AEDC9C00273825D06761794D8F6161745591B79F6B8356CD8A4FD7E535863C5DA3AF206416F68FBDAA77EAE3907D985793266D742F47FD1AB8C1E224A8C61069F8DF90ABF74F6BA2B698797FAF252DD820536B6BBFC31DEDC82EEE843D0F2C131C2A50438463D5B29F3BAD70012210EC295FFEDB6DDB867B51BAAD5C26FB1FE2637DCB677C8D64DE1712E0E4DDE98CF18B9A194AC376DEA5987FA75881E6DE18C999E649E265C36EB408E09DD855930817F68D9FA0FD68357E8','laptop:32732:01M847G0T8J3062KME585BJMW1','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847G0Y8W2222NGBHV2JKH2T','01M847G0S0EH68G05T910FY4DQ','01M847G0S3BCEP6TYB7YCY9PKS','01M847G0XGBESWYYAF65WYYYSS','artifact','main',1,'alpha','m1','07978e3fcc51488a44607ff7db4de6b62f7b464ea94ab8343689340f5e3e8a41',1,'done',0,1,200,'stop',115,470,0,NULL,0,0.001995,'config','chatcmpl-a7c8f4690dca1866f712c4b5','req_5b88f5dfd81503a3a932a7d4',0.0,'2025-11-23 12:53:32.744695','2025-11-23 12:53:33.053931',NULL,NULL,X'789CDD55C18ADC300CBDE72B047B9D990FE86D5BB6B087426917F6ACB1358919C7CA5ACEA6F9FB3E3BC3F45AD242A19784C4D293FCF49EFD40DF932E5DF73A70A18BC6A88B51CF65906C84278999A412381AE9A5059FE8B950E1AB6C017D7897441776C5E812B215E2E4EB4A229F79D9829C2693B75992439626A1F35A5FA7AE7B78A05714138485D41B59417AD77DCE3A92E928E443FDE5E4D080B60A93865428546CB45D9B4203112D2E3728210EB906388D5E728D4B149CD028B158DB0116B338CD5EFCBF867919B036B0D159C09A290691B7CD9730CA893E8A05DF18B2C30EFC46F223B9A886C5A87AEDBAFB6716F6209E6CD0653F9F5F14611388082671DDD324481032C69E2736E31EE1DEEF6FE81BB655251C12310D73CE2B8DBC425D3A5183A822ED958A36B008919DE8D1D54156366EBF4DE75C95B7733B97D0CF1982E79601BAAB857EE1B61E960A97B450D639414435939BAC22AC477A7E0F3ADB0DBED4CCE401FFC46EB8A101B6F901AD20E60CB30DE2AE9023F71C12DC522B6A0E7D481C4F77B7DDBB40290B11263F54E93553D587FC289B72BE6EE0A0E42A3275DD718F04FFC7A44ACE7382EC71F6E1370E2DD8D6F37A2C7AC48B16CDD78DCC5138FDE9616525C458A780099B941231E1A161E5ADC8806C2389260D7893A057378F982DE10057F86BDDDFC6D3DB8CF8FDE6FE8BADFC8E45DA783E697271B6A0A9EB5E7065E134801D5147E3ED4219B948C6F546364F93E6B25D4FEE9EF7618F327E026BED9318','laptop:32732:01M847G0T8J3062KME585BJMW1','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847G18N3PVC11EHR8VPG50P','01M847G0S0EH68G05T910FY4DQ','01M847G0S3BCEP6TYB7YCY9PKS','01M847G17YGBPV3K72QG6SY59T','evaluation','main',1,'alpha','j1','347b9c83234161211bfd3efffd51aefa895308ec00f53ed0a0f9cd8e0c690031',1,'done',0,1,200,'stop',1268,122,0,NULL,0,0.001756,'config','chatcmpl-bd9bdbf3a7abff3c2fa60840','req_a1d6c9debe7dbf1cce61824a',0.0,'2025-11-23 12:53:33.077184','2025-11-23 12:53:33.386777',NULL,NULL,X'789C95D1C18A02310C06E05709398BEC6DA577F1113C879A718A6D323471D7417C77A78ABB0A73D06BFEF42369CE48311E2BC511C3192B93A960C0F52972CE2C0E2AF0E80820EA7D923D6807BF9CF6BD433228C96C2A2E718116B53286D5658151CB90D959D8EC85DEA8EE9AFADC10A6421EC10AE50C83267103AA0C3AB03CB9DFCDCD54938FF3E43D7B536B5356CEFC431279D6FB4B3F98AFD35AC87DFA9059F23FFEC0B4632954A79D71DB93830D4C076B142487A2763BC3E34AED6D54E9D28E6F7B7D2D57972B5D37A97A','laptop:32732:01M847G0T8J3062KME585BJMW1','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847G18QZAW83H4FQ3M8CE34','01M847G0S0EH68G05T910FY4DQ','01M847G0S3BCEP6TYB7YCY9PKS','01M847G17SVAF2XGWAS9DJATRD','evaluation','main',1,'alpha','j1','6d0f5e704795b9c60461392ce88a1b64044ff91b6968c29059d19da2162f4e62',1,'done',0,1,200,'stop',1586,119,0,NULL,0,0.002062,'config','chatcmpl-33a83aa984b35f598e9e5043','req_a1a592b1bfeed750a02d98c2',0.0,'2025-11-23 12:53:33.079658','2025-11-23 12:53:33.381771',NULL,NULL,X'789C95D1CF0AC2300C06F0570939CBF0A6EC057C01C173E8A22BB6C968EA700CDFDD3AFCCF2E3B967CDF8F868C48CE5D12B901EB111393A9608D3BD50654E035ACCB230C609142804EBD64034A0CDAB154B842739A18EBCD6D854E631738B3B0D9ACF91D58E2064A3ECF7FF3395BA0250EDC93389EF5DED305E25153A49CBD9C7EC87DCB90F99AC15BD95C7A2FAE44C00BF8627D4A7F9A5D62A454B6C5434B19AC633A4FF15283A83679AFEB3CBAC53EFA86A78DD6D5F676071070A48A','laptop:32732:01M847G0T8J3062KME585BJMW1','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847G1M23W7QK7FC4T78C19C','01M847G0S0EH68G05T910FY4DQ','01M847G0S3BCEP6TYB7YCY9PKS','01M847G1K4DKXSKVP2S9MQ735A','comparison','main',1,'alpha','j1','2ee77a57767687e307cc9a47932282bc026eaeb85c00eb784ffdb9842774b67b',1,'done',0,1,200,'stop',1852,27,0,NULL,0,0.00196,'config','chatcmpl-2d8f6017525ac648b00d8950','req_d51b847c5fea01ee30d5a4f5',0.0,'2025-11-23 12:53:33.442187','2025-11-23 12:53:33.747734',NULL,NULL,X'789C0DCC410AC2400C46E1AB84ACA5B870D55DEFE005D2C9AF0E95A4248111C4BB3BCBC707EFCB0149B76E4F5EF98E4FD146077026B5B72782CA69BCA4684892E4012531A59EB4A36ABA8722A00B5F787433C4FC6C339ADBA32BAC81D7EB72FBFD01BEA02405','laptop:32732:01M847G0T8J3062KME585BJMW1','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847G1M6Y3QFCGGK9GMPYPVH','01M847G0S0EH68G05T910FY4DQ','01M847G0S3BCEP6TYB7YCY9PKS','01M847G1K4DKXSKVP2S9MQ7359','comparison','main',1,'alpha','j1','60e20733df237e6c2f6cfc95e5f723a339698739559d1f7df803ace1c7e0fca3',1,'done',0,1,200,'stop',1852,27,0,NULL,0,0.00196,'config','chatcmpl-f98a1521c650f0c30beaed7e','req_13f877fdf7e7ccc5d71eccd5',0.0,'2025-11-23 12:53:33.446264','2025-11-23 12:53:33.750447',NULL,NULL,X'789C0DCC4B0AC3300C45D1AD3C342EA1645432CC1ABA81E03CB7025702D9F99492BDD7C33B38F727C1A5BAA9BD649227CF8619C97746457B13D5B748C4C783C85B295F2CB6422BBA52069A237B297E0C729343CD18FD33F7486E59575AA24CF7617C5C7FF43D247A','laptop:32732:01M847G0T8J3062KME585BJMW1','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "calls" VALUES('01M847G1ZM6GQGX0PPME51QNR5','01M847G0S0EH68G05T910FY4DQ','01M847G0S3BCEP6TYB7YCY9PKS','01M847G1YTPPDYWEDV5BDZMHWW','artifact','main',1,'alpha','m1','985dcb5deb9d4766a7182f367cb334473624bf62bf1b71301fd0130209b692fb',1,'done',0,1,200,'stop',1809,560,0,NULL,0,0.004049,'config','chatcmpl-7ce53873156a2f85b088131c','req_75d28e5fc825416b7b08ba43',0.0,'2025-11-23 12:53:33.812644','2025-11-23 12:53:34.115816',NULL,NULL,X'789CCD564D8FD33010BDE7578CD46BE90FE0C62256DA030841A53DBBF134B1703C5ECF6443FF3DCF0E2A9C38A41570492B6BE6CDF37CBCF18EBE2659BAEE79744667895116A5C1D9C845095F62554E165C549273333ED09391644E4A4BB0B1590DE195139D5D6F4A2EF97A96C817B7AC20BD24E5979953CF80494CA74BFD3974DD6E47471868B0D95990D4758F45265299987C507370D9378C73286A942524A3506141B8D241D408720B18733374A154835EA2E752ED12859E69E2687AA04F353C6E024B8401BE07E358C9D0F31542652E70018A8688EBEF71B206AD1FFE6E8795B503CBEC54DD80B0DE6F67F5D4EE54B897E2D96F86F9F032C3FEB2DFE2FB5160964121286F8368D56C8DF45B0ED55DB4EBDE511F45E152D8F99006D25196EDE93AD63A8C4EE9C4E833D4E62C65ED190B132AF9C01A3CB7726DCAC57F508E5B7C6FBDFEBF6DA37B40DC773ABFA069AB1E86448EC6B9940B4DEE02F5904C0DA24ADE2064D2C022746B1D86CF55ADB49E7F63CE5DF766CB54FD3DA7EBFC06C3914B18DC470C562ED0F5D0BB48792E1963FC53089BC98D92A71662AC093AA1606C16316E63C32A6B9011DE4A1C951BF0DD66F30F7BE04E118EBF443089F12D6A77FF55B348C1EA2E9C196B177ABC11ADB5CC7B497D9CB56D6FFCAFDA536ADE64E0FA8E58D7F7E48C0B9E11A473CE08BEBE03FAABEBDB2DD17F0050141450','laptop:32732:01M847G0T8J3062KME585BJMW1','default',NULL,'none','none',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
CREATE TABLE circuit_breakers (
	run_id VARCHAR(32) NOT NULL, 
	role VARCHAR(16) NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	provider VARCHAR(100) NOT NULL, 
	model VARCHAR(200) NOT NULL, 
	reason TEXT NOT NULL, 
	failures INTEGER NOT NULL, 
	opened_at DATETIME NOT NULL, 
	tenant_id VARCHAR(32) NOT NULL, 
	PRIMARY KEY (run_id, role, name), 
	FOREIGN KEY(run_id) REFERENCES runs (run_id)
);
CREATE TABLE debug_sessions (
	session_id VARCHAR(32) NOT NULL, 
	submission_id INTEGER NOT NULL, 
	round INTEGER NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	epoch INTEGER NOT NULL, 
	lease_until DATETIME, 
	owner VARCHAR(128), 
	host VARCHAR(255), 
	process VARCHAR(255), 
	report_kind VARCHAR(16), 
	report TEXT NOT NULL, 
	log TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	finished_at DATETIME, 
	tenant_id VARCHAR(32) NOT NULL, 
	PRIMARY KEY (session_id), 
	FOREIGN KEY(submission_id) REFERENCES submissions (submission_id), 
	CONSTRAINT debug_sessions_once UNIQUE (submission_id, round)
);
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
	tenant_id VARCHAR(32) NOT NULL, settled BOOLEAN DEFAULT 0 NOT NULL, 
	PRIMARY KEY (document_id), 
	FOREIGN KEY(run_id) REFERENCES runs (run_id), 
	CONSTRAINT documents_once UNIQUE (run_id, path)
);
INSERT INTO "documents" VALUES('01M847FWHG0JJWT8V8Z2XGNR5M','01M847FWHDSB7ZQ7XJJGQB4SPP','rivers.md','f157690cafb0aa63a96c995c51b2e464765e3f08027d7f419bd15370ba730d93','# Rivers

A river carries water from the hills to the sea.
','finished','done','Rank 1 of 3 by scores and comparisons; the best one with a probability of 0.45. Every pair was compared: 2 comparisons. In the playoffs: every pair was compared: 4 comparisons.','01M847FWNRC4PK2XWA8FMGPMBH','[{"artifact_id": "01M847FWNRC4PK2XWA8FMGPMBH", "rank": 1, "admitted": true, "rank_score": 5.996, "overall": 7.25, "elo": 1516.0, "wins": 1, "games": 2, "selected": true, "reason": "its level of 0.600 is below the threshold of 0.7, but at least 1 must be taken", "p_best": 0.445, "posterior": {"points": 1541.304597813299, "low": 1351.7463544339375, "high": 1762.5498695399715}, "bradley_terry": null}, {"artifact_id": "01M847FWNRC4PK2XWA8FMGPMBG", "rank": 2, "admitted": true, "rank_score": 5.84, "overall": 7.1, "elo": 1500.0, "wins": 0, "games": 2, "selected": false, "reason": "its level of 0.584 is below the threshold of 0.7", "p_best": 0.427, "posterior": {"points": 1535.3757333115032, "low": 1329.3867948840657, "high": 1755.6388000886213}, "bradley_terry": null}, {"artifact_id": "01M847FXRRBY712KEA2S3JDZBC", "rank": 3, "admitted": true, "rank_score": 5.534000000000001, "overall": 6.575, "elo": 1484.0, "wins": 0, "games": 2, "selected": false, "reason": "its level of 0.553 is below the threshold of 0.7", "p_best": 0.128, "posterior": {"points": 1423.3196688751987, "low": 1206.002534627478, "high": 1613.6847422243877}, "bradley_terry": null}]','[{"artifact_id": "01M847FXRRBY712KEA2S3JDZBC", "parent_id": "01M847FWNRC4PK2XWA8FMGPMBH", "better": 0.2555, "games": 1, "lift": -0.6749999999999998, "lift_low": -3.2008643759868254, "lift_high": 1.8508643759868257}]','2025-11-23 12:53:28.340401','2025-11-23 12:53:28.234075','2025-11-23 12:53:30.501748','default',0);
INSERT INTO "documents" VALUES('01M847FWHG0JJWT8V8Z2XGNR5N','01M847FWHDSB7ZQ7XJJGQB4SPP','wind.md','be1a6d473f3b9cd09be2d0f9169b47f39c4b85033d7b95dc04f077eb74d6e049','# Wind

Warm air rises, and cold air takes its place.
','finished','done','Rank 1 of 3 by scores and comparisons; the best one with a probability of 0.87. Every pair was compared: 2 comparisons. In the playoffs: every pair was compared: 4 comparisons.','01M847FXRFG24PB4F8CGK5RV7N','[{"artifact_id": "01M847FXRFG24PB4F8CGK5RV7N", "rank": 1, "admitted": true, "rank_score": 7.107785608019883, "overall": 9.8, "elo": 1531.2976013366472, "wins": 2, "games": 2, "selected": true, "reason": "its level of 0.711 reaches the threshold of 0.7", "p_best": 0.873, "posterior": {"points": 1828.1545121607114, "low": 1486.5239643038226, "high": 2561.066450979801}, "bradley_terry": null}, {"artifact_id": "01M847FWP1VZGM5DZPNBG5TY35", "rank": 2, "admitted": true, "rank_score": 6.079796551218985, "overall": 7.700000000000001, "elo": 1499.9660918698307, "wins": 1, "games": 2, "selected": false, "reason": "its level of 0.608 is below the threshold of 0.7", "p_best": 0.1115, "posterior": {"points": 1465.6988947025425, "low": 1054.4127243118141, "high": 1837.1007959483898}, "bradley_terry": null}, {"artifact_id": "01M847FWP1VZGM5DZPNBG5TY34", "rank": 3, "admitted": true, "rank_score": 5.6124178407611325, "overall": 7.0, "elo": 1468.736306793522, "wins": 0, "games": 2, "selected": false, "reason": "its level of 0.561 is below the threshold of 0.7", "p_best": 0.0155, "posterior": {"points": 1206.1465931367438, "low": 543.327524120509, "high": 1545.7041721802045}, "bradley_terry": null}]','[{"artifact_id": "01M847FXRFG24PB4F8CGK5RV7N", "parent_id": "01M847FWP1VZGM5DZPNBG5TY35", "better": 0.8855, "games": 1, "lift": 2.0999999999999996, "lift_low": -0.37545856575529646, "lift_high": 4.575458565755296}]','2025-11-23 12:53:28.340401','2025-11-23 12:53:28.234075','2025-11-23 12:53:30.522206','default',0);
INSERT INTO "documents" VALUES('01M847G0S3BCEP6TYB7YCY9PKS','01M847G0S0EH68G05T910FY4DQ','snow.md','9874da1f28c20ac94d525b0c6b244c7000316e432c1767cafcae3b6a36ea26c3','# Snow

Snow falls where the air is colder than ice melts.
','combine','running',NULL,NULL,NULL,NULL,'2025-11-23 12:53:32.682339','2025-11-23 12:53:32.572776',NULL,'default',0);
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
INSERT INTO "elo_ratings" VALUES('01M847FYREB633KDMQAJXPGF87','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','01M847FWNRC4PK2XWA8FMGPMBG',1500.0,2,0,0,2,'[1500.0, 1500.0, 1500.0]','2025-11-23 12:53:30.501748','default');
INSERT INTO "elo_ratings" VALUES('01M847FYREB633KDMQAJXPGF88','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','01M847FWNRC4PK2XWA8FMGPMBH',1516.0,2,1,0,1,'[1500.0, 1500.0, 1516.0]','2025-11-23 12:53:30.501748','default');
INSERT INTO "elo_ratings" VALUES('01M847FYREB633KDMQAJXPGF89','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','01M847FXRRBY712KEA2S3JDZBC',1484.0,2,0,1,1,'[1500.0, 1500.0, 1484.0]','2025-11-23 12:53:30.501748','default');
INSERT INTO "elo_ratings" VALUES('01M847FYS17H9SRH5MH54H3SC2','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','01M847FWP1VZGM5DZPNBG5TY34',1.46873630679352208975e+03,2,0,2,0,'[1500.0, 1484.0, 1468.736306793522]','2025-11-23 12:53:30.522206','default');
INSERT INTO "elo_ratings" VALUES('01M847FYS17H9SRH5MH54H3SC3','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','01M847FWP1VZGM5DZPNBG5TY35',1.49996609186983073406e+03,2,1,1,0,'[1500.0, 1516.0, 1499.9660918698307]','2025-11-23 12:53:30.522206','default');
INSERT INTO "elo_ratings" VALUES('01M847FYS17H9SRH5MH54H3SC4','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','01M847FXRFG24PB4F8CGK5RV7N',1.53129760133664717617e+03,2,2,0,0,'[1500.0, 1515.263693206478, 1531.2976013366472]','2025-11-23 12:53:30.522206','default');
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
	finished_at DATETIME, proof JSON, not_before DATETIME, failures INTEGER DEFAULT '0' NOT NULL, rests BOOLEAN DEFAULT 0 NOT NULL, lane VARCHAR(120) DEFAULT '' NOT NULL, summary TEXT, confidence FLOAT, 
	PRIMARY KEY (eval_id), 
	FOREIGN KEY(artifact_id) REFERENCES artifacts (artifact_id), 
	FOREIGN KEY(document_id) REFERENCES documents (document_id), 
	FOREIGN KEY(run_id) REFERENCES runs (run_id), 
	CONSTRAINT eval_results_once UNIQUE (artifact_id, judge, iteration)
);
INSERT INTO "eval_results" VALUES('01M847FX04ZFH74ZDXAZDQ2DRS','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','01M847FWP1VZGM5DZPNBG5TY34','alpha:j1','alpha','j1',1,'{"accuracy": 7.0, "completeness": 7.0, "clarity": 7.0, "relevance": 7.0, "formatting": 7.0}','[]',7.0,'{"accuracy": "The text is convincing in its accuracy.", "completeness": "The text is convincing in its completeness.", "clarity": "The text is convincing in its clarity.", "relevance": "The text is convincing in its relevance.", "formatting": "Good on formatting: only small points are open."}','{"accuracy":{"reason":"The text is convincing in its accuracy.","score":7},"completeness":{"reason":"The text is convincing in its completeness.","score":7},"clarity":{"reason":"The text is convincing in its clarity.","score":7},"relevance":{"reason":"The text is convincing in its relevance.","score":7},"formatting":{"reason":"Good on formatting: only small points are open.","score":7},"summary":"What speaks for it most is accuracy.","confidence":0.8}',1369,114,329,'default','done',1,NULL,NULL,1,'2025-11-23 12:53:28.719858',NULL,NULL,'2025-11-23 12:53:28.708776','2025-11-23 12:53:29.071818','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,'judge.alpha','What speaks for it most is accuracy.',0.8);
INSERT INTO "eval_results" VALUES('01M847FX05A5GMM4DG0138VF8A','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','01M847FWP1VZGM5DZPNBG5TY35','alpha:j1','alpha','j1',1,'{"accuracy": 8.0, "completeness": 8.0, "clarity": 7.0, "relevance": 8.0, "formatting": 7.0}','[]',7.70000000000000106581e+00,'{"accuracy": "The text is convincing in its accuracy.", "completeness": "The text is convincing in its completeness.", "clarity": "The text is convincing in its clarity.", "relevance": "The text is convincing in its relevance.", "formatting": "Good on formatting: only small points are open."}','{"accuracy":{"reason":"The text is convincing in its accuracy.","score":8},"completeness":{"reason":"The text is convincing in its completeness.","score":8},"clarity":{"reason":"The text is convincing in its clarity.","score":7},"relevance":{"reason":"The text is convincing in its relevance.","score":8},"formatting":{"reason":"Good on formatting: only small points are open.","score":7},"summary":"What speaks for it most is accuracy.","confidence":0.8}',1405,114,317,'default','done',1,NULL,NULL,1,'2025-11-23 12:53:28.728420',NULL,NULL,'2025-11-23 12:53:28.709748','2025-11-23 12:53:29.070819','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,'judge.alpha','What speaks for it most is accuracy.',0.8);
INSERT INTO "eval_results" VALUES('01M847FX0EJ13EEPFZH9XEPJMX','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','01M847FWNRC4PK2XWA8FMGPMBH','alpha:j1','alpha','j1',1,'{"accuracy": 7.0, "completeness": 8.0, "clarity": 7.0, "relevance": 7.0, "formatting": 7.0}','[]',7.25,'{"accuracy": "Good on accuracy: only small points are open.", "completeness": "Good on completeness: only small points are open.", "clarity": "The text is convincing in its clarity.", "relevance": "The text is convincing in its relevance.", "formatting": "Good on formatting: only small points are open."}','{"accuracy":{"reason":"Good on accuracy: only small points are open.","score":7},"completeness":{"reason":"Good on completeness: only small points are open.","score":8},"clarity":{"reason":"The text is convincing in its clarity.","score":7},"relevance":{"reason":"The text is convincing in its relevance.","score":7},"formatting":{"reason":"Good on formatting: only small points are open.","score":7},"summary":"What speaks for it most is completeness.","confidence":0.8}',1392,118,316,'default','done',1,NULL,NULL,1,'2025-11-23 12:53:28.732224',NULL,NULL,'2025-11-23 12:53:28.718030','2025-11-23 12:53:29.065015','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,'judge.alpha','What speaks for it most is completeness.',0.8);
INSERT INTO "eval_results" VALUES('01M847FX09QSRVGA2X2YDK1ECZ','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','01M847FWNRC4PK2XWA8FMGPMBG','alpha:j1','alpha','j1',1,'{"accuracy": 7.0, "completeness": 7.0, "clarity": 7.0, "relevance": 7.0, "formatting": 8.0}','[]',7.1,'{"accuracy": "Good on accuracy: only small points are open.", "completeness": "Good on completeness: only small points are open.", "clarity": "Good on clarity: only small points are open.", "relevance": "Good on relevance: only small points are open.", "formatting": "Good on formatting: only small points are open."}','{"accuracy":{"reason":"Good on accuracy: only small points are open.","score":7},"completeness":{"reason":"Good on completeness: only small points are open.","score":7},"clarity":{"reason":"Good on clarity: only small points are open.","score":7},"relevance":{"reason":"Good on relevance: only small points are open.","score":7},"formatting":{"reason":"Good on formatting: only small points are open.","score":8},"summary":"What speaks for it most is formatting.","confidence":0.8}',1329,121,313,'default','done',1,NULL,NULL,1,'2025-11-23 12:53:28.734330',NULL,NULL,'2025-11-23 12:53:28.713795','2025-11-23 12:53:29.069833','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,'judge.alpha','What speaks for it most is formatting.',0.8);
INSERT INTO "eval_results" VALUES('01M847FY2RQTGT4K86FH8K8XFP','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','01M847FXRRBY712KEA2S3JDZBC','alpha:j1','alpha','j1',1,'{"accuracy": 6.0, "completeness": 7.0, "clarity": 6.0, "relevance": 6.0, "formatting": 6.0}','[]',6.25,'{"accuracy": "Good on accuracy: only small points are open.", "completeness": "Good on completeness: only small points are open.", "clarity": "Good on clarity: only small points are open.", "relevance": "The text is convincing in its relevance.", "formatting": "Good on formatting: only small points are open."}','{"accuracy":{"reason":"Good on accuracy: only small points are open.","score":6},"completeness":{"reason":"Good on completeness: only small points are open.","score":7},"clarity":{"reason":"Good on clarity: only small points are open.","score":6},"relevance":{"reason":"The text is convincing in its relevance.","score":6},"formatting":{"reason":"Good on formatting: only small points are open.","score":6},"summary":"What speaks for it most is completeness.","confidence":0.8}',1513,120,302,'default','done',1,NULL,NULL,1,'2025-11-23 12:53:29.816780',NULL,NULL,'2025-11-23 12:53:29.816141','2025-11-23 12:53:30.136322','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,'judge.alpha','What speaks for it most is completeness.',0.8);
INSERT INTO "eval_results" VALUES('01M847FY2RQTGT4K86FH8K8XFQ','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','01M847FXRRBY712KEA2S3JDZBC','alpha:j1','alpha','j1',2,'{"accuracy": 7.0, "completeness": 7.0, "clarity": 7.0, "relevance": 7.0, "formatting": 6.0}','[]',6.9,'{"accuracy": "The text is convincing in its accuracy.", "completeness": "The text is convincing in its completeness.", "clarity": "Good on clarity: only small points are open.", "relevance": "The text is convincing in its relevance.", "formatting": "The text is convincing in its formatting."}','{"accuracy":{"reason":"The text is convincing in its accuracy.","score":7},"completeness":{"reason":"The text is convincing in its completeness.","score":7},"clarity":{"reason":"Good on clarity: only small points are open.","score":7},"relevance":{"reason":"The text is convincing in its relevance.","score":7},"formatting":{"reason":"The text is convincing in its formatting.","score":6},"summary":"What speaks for it most is accuracy.","confidence":0.8}',1513,114,305,'default','done',1,NULL,NULL,1,'2025-11-23 12:53:29.816780',NULL,NULL,'2025-11-23 12:53:29.816141','2025-11-23 12:53:30.135240','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,'judge.alpha','What speaks for it most is accuracy.',0.8);
INSERT INTO "eval_results" VALUES('01M847FY2VBN6542DY7ZNPD5ZC','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','01M847FXRFG24PB4F8CGK5RV7N','alpha:j1','alpha','j1',1,'{"accuracy": 10.0, "completeness": 9.0, "clarity": 10.0, "relevance": 9.0, "formatting": 10.0}','[]',9.6,'{"accuracy": "Excellent on accuracy: nothing of weight is missing.", "completeness": "Excellent on completeness: nothing of weight is missing.", "clarity": "Hardly anything to add about clarity.", "relevance": "Excellent on relevance: nothing of weight is missing.", "formatting": "Hardly anything to add about formatting."}','{"accuracy":{"reason":"Excellent on accuracy: nothing of weight is missing.","score":10},"completeness":{"reason":"Excellent on completeness: nothing of weight is missing.","score":9},"clarity":{"reason":"Hardly anything to add about clarity.","score":10},"relevance":{"reason":"Excellent on relevance: nothing of weight is missing.","score":9},"formatting":{"reason":"Hardly anything to add about formatting.","score":10},"summary":"What speaks for it most is accuracy.","confidence":0.8}',1564,123,304,'default','done',1,NULL,NULL,1,'2025-11-23 12:53:29.820384',NULL,NULL,'2025-11-23 12:53:29.819962','2025-11-23 12:53:30.136819','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,'judge.alpha','What speaks for it most is accuracy.',0.8);
INSERT INTO "eval_results" VALUES('01M847FY2WQ7H9VRAQ99NYD552','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','01M847FXRFG24PB4F8CGK5RV7N','alpha:j1','alpha','j1',2,'{"accuracy": 10.0, "completeness": 10.0, "clarity": 10.0, "relevance": 10.0, "formatting": 10.0}','[]',10.0,'{"accuracy": "Hardly anything to add about accuracy.", "completeness": "Excellent on completeness: nothing of weight is missing.", "clarity": "Excellent on clarity: nothing of weight is missing.", "relevance": "Excellent on relevance: nothing of weight is missing.", "formatting": "Excellent on formatting: nothing of weight is missing."}','{"accuracy":{"reason":"Hardly anything to add about accuracy.","score":10},"completeness":{"reason":"Excellent on completeness: nothing of weight is missing.","score":10},"clarity":{"reason":"Excellent on clarity: nothing of weight is missing.","score":10},"relevance":{"reason":"Excellent on relevance: nothing of weight is missing.","score":10},"formatting":{"reason":"Excellent on formatting: nothing of weight is missing.","score":10},"summary":"What speaks for it most is accuracy.","confidence":0.8}',1564,127,302,'default','done',1,NULL,NULL,1,'2025-11-23 12:53:29.820384',NULL,NULL,'2025-11-23 12:53:29.819962','2025-11-23 12:53:30.137327','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,'judge.alpha','What speaks for it most is accuracy.',0.8);
INSERT INTO "eval_results" VALUES('01M847G17SVAF2XGWAS9DJATRD','01M847G0S0EH68G05T910FY4DQ','01M847G0S3BCEP6TYB7YCY9PKS','01M847G0XGBESWYYAF65WYYYST','alpha:j1','alpha','j1',1,'{"accuracy": 7.0, "completeness": 7.0, "clarity": 7.0, "relevance": 7.0, "formatting": 7.0}','[]',7.0,'{"accuracy": "Good on accuracy: only small points are open.", "completeness": "Good on completeness: only small points are open.", "clarity": "Good on clarity: only small points are open.", "relevance": "Good on relevance: only small points are open.", "formatting": "The text is convincing in its formatting."}','{"accuracy":{"reason":"Good on accuracy: only small points are open.","score":7},"completeness":{"reason":"Good on completeness: only small points are open.","score":7},"clarity":{"reason":"Good on clarity: only small points are open.","score":7},"relevance":{"reason":"Good on relevance: only small points are open.","score":7},"formatting":{"reason":"The text is convincing in its formatting.","score":7},"summary":"What speaks for it most is accuracy.","confidence":0.8}',1586,119,309,'default','done',1,NULL,NULL,1,'2025-11-23 12:53:33.055948',NULL,NULL,'2025-11-23 12:53:33.049873','2025-11-23 12:53:33.382367','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,'judge.alpha','What speaks for it most is accuracy.',0.8);
INSERT INTO "eval_results" VALUES('01M847G17YGBPV3K72QG6SY59T','01M847G0S0EH68G05T910FY4DQ','01M847G0S3BCEP6TYB7YCY9PKS','01M847G0XGBESWYYAF65WYYYSS','alpha:j1','alpha','j1',1,'{"accuracy": 8.0, "completeness": 7.0, "clarity": 8.0, "relevance": 7.0, "formatting": 7.0}','[]',7.5,'{"accuracy": "Excellent on accuracy: nothing of weight is missing.", "completeness": "Good on completeness: only small points are open.", "clarity": "Good on clarity: only small points are open.", "relevance": "Good on relevance: only small points are open.", "formatting": "Good on formatting: only small points are open."}','{"accuracy":{"reason":"Excellent on accuracy: nothing of weight is missing.","score":8},"completeness":{"reason":"Good on completeness: only small points are open.","score":7},"clarity":{"reason":"Good on clarity: only small points are open.","score":8},"relevance":{"reason":"Good on relevance: only small points are open.","score":7},"formatting":{"reason":"Good on formatting: only small points are open.","score":7},"summary":"What speaks for it most is accuracy.","confidence":0.8}',1268,122,311,'default','done',1,NULL,NULL,1,'2025-11-23 12:53:33.058134',NULL,NULL,'2025-11-23 12:53:33.054266','2025-11-23 12:53:33.387267','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,'judge.alpha','What speaks for it most is accuracy.',0.8);
INSERT INTO "eval_results" VALUES('01M847G2942BYSJ0NTWNB28TB9','01M847G0S0EH68G05T910FY4DQ','01M847G0S3BCEP6TYB7YCY9PKS','01M847G1YTPPDYWEDV5BDZMHWW','alpha:j1','alpha','j1',1,'{}','[]',NULL,'{}',NULL,NULL,NULL,NULL,'default','planned',0,NULL,NULL,0,'2025-11-23 12:53:34.117327',NULL,NULL,'2025-11-23 12:53:34.116276',NULL,NULL,NULL,0,0,'judge.alpha',NULL,NULL);
INSERT INTO "eval_results" VALUES('01M847G2942BYSJ0NTWNB28TBA','01M847G0S0EH68G05T910FY4DQ','01M847G0S3BCEP6TYB7YCY9PKS','01M847G1YTPPDYWEDV5BDZMHWW','alpha:j1','alpha','j1',2,'{}','[]',NULL,'{}',NULL,NULL,NULL,NULL,'default','planned',0,NULL,NULL,0,'2025-11-23 12:53:34.117327',NULL,NULL,'2025-11-23 12:53:34.116276',NULL,NULL,NULL,0,0,'judge.alpha',NULL,NULL);
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
INSERT INTO "events" VALUES(1,'01M847FWHDSB7ZQ7XJJGQB4SPP',NULL,'run_started','{"store": "{folder}/.acm/acm.db"}','2025-11-23 12:53:28.234075','default');
INSERT INTO "events" VALUES(2,'01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','stage','{"stage": "compare"}','2025-11-23 12:53:29.096166','default');
INSERT INTO "events" VALUES(3,'01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','stage','{"stage": "compare"}','2025-11-23 12:53:29.113781','default');
INSERT INTO "events" VALUES(4,'01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','stage','{"stage": "combine"}','2025-11-23 12:53:29.464521','default');
INSERT INTO "events" VALUES(5,'01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','stage','{"stage": "combine"}','2025-11-23 12:53:29.473913','default');
INSERT INTO "events" VALUES(6,'01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','stage','{"stage": "playoff"}','2025-11-23 12:53:30.156359','default');
INSERT INTO "events" VALUES(7,'01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','stage','{"stage": "playoff"}','2025-11-23 12:53:30.159840','default');
INSERT INTO "events" VALUES(8,'01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','document_finished','{"state": "done", "reason": "Rank 1 of 3 by scores and comparisons; the best one with a probability of 0.45. Every pair was compared: 2 comparisons. In the playoffs: every pair was compared: 4 comparisons.", "settled": false}','2025-11-23 12:53:30.501748','default');
INSERT INTO "events" VALUES(9,'01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','document_finished','{"state": "done", "reason": "Rank 1 of 3 by scores and comparisons; the best one with a probability of 0.87. Every pair was compared: 2 comparisons. In the playoffs: every pair was compared: 4 comparisons.", "settled": false}','2025-11-23 12:53:30.522206','default');
INSERT INTO "events" VALUES(10,'01M847FWHDSB7ZQ7XJJGQB4SPP',NULL,'run_finished','{"state": "done"}','2025-11-23 12:53:30.522206','default');
INSERT INTO "events" VALUES(11,'01M847G0S0EH68G05T910FY4DQ',NULL,'run_started','{"store": "{folder}/.acm/acm.db"}','2025-11-23 12:53:32.572776','default');
INSERT INTO "events" VALUES(12,'01M847G0S0EH68G05T910FY4DQ','01M847G0S3BCEP6TYB7YCY9PKS','stage','{"stage": "compare"}','2025-11-23 12:53:33.405077','default');
INSERT INTO "events" VALUES(13,'01M847G0S0EH68G05T910FY4DQ','01M847G0S3BCEP6TYB7YCY9PKS','stage','{"stage": "combine"}','2025-11-23 12:53:33.772316','default');
CREATE TABLE idempotency_keys (
	tenant_id VARCHAR(32) NOT NULL, 
	idempotency_key VARCHAR(255) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	answer JSON, 
	created_at DATETIME NOT NULL, 
	PRIMARY KEY (tenant_id, idempotency_key)
);
CREATE TABLE outbox (
	message_id VARCHAR(32) NOT NULL, 
	dedup_key VARCHAR(200) NOT NULL, 
	submission_id INTEGER NOT NULL, 
	target JSON NOT NULL, 
	payload JSON NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	epoch INTEGER NOT NULL, 
	tries INTEGER NOT NULL, 
	next_try_at DATETIME NOT NULL, 
	process VARCHAR(255), 
	error TEXT, 
	created_at DATETIME NOT NULL, 
	sent_at DATETIME, 
	tenant_id VARCHAR(32) NOT NULL, 
	PRIMARY KEY (message_id), 
	FOREIGN KEY(submission_id) REFERENCES submissions (submission_id), 
	CONSTRAINT outbox_once UNIQUE (dedup_key)
);
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
	finished_at DATETIME, proof JSON, not_before DATETIME, failures INTEGER DEFAULT '0' NOT NULL, rests BOOLEAN DEFAULT 0 NOT NULL, lane VARCHAR(120) DEFAULT '' NOT NULL, 
	PRIMARY KEY (comparison_id), 
	FOREIGN KEY(artifact_a_id) REFERENCES artifacts (artifact_id), 
	FOREIGN KEY(artifact_b_id) REFERENCES artifacts (artifact_id), 
	FOREIGN KEY(document_id) REFERENCES documents (document_id), 
	FOREIGN KEY(run_id) REFERENCES runs (run_id), 
	CONSTRAINT pairwise_comparisons_once UNIQUE (artifact_a_id, artifact_b_id, judge, iteration)
);
INSERT INTO "pairwise_comparisons" VALUES('01M847FXCJFNHE5XAGQCJRWEVE','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','01M847FWNRC4PK2XWA8FMGPMBG','01M847FWNRC4PK2XWA8FMGPMBH','alpha:j1','alpha','j1',1,'a',0.27,'Text A keeps closer to what was asked and is better ordered.','{"reasoning":"Text A keeps closer to what was asked and is better ordered.","winner":"A","confidence":0.27}',1720,27,309,'default','done',1,NULL,NULL,1,'2025-11-23 12:53:29.096166',NULL,NULL,'2025-11-23 12:53:29.096166','2025-11-23 12:53:29.448480','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,'judge.alpha');
INSERT INTO "pairwise_comparisons" VALUES('01M847FXCJFNHE5XAGQCJRWEVF','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','01M847FWNRC4PK2XWA8FMGPMBH','01M847FWNRC4PK2XWA8FMGPMBG','alpha:j1','alpha','j1',1,'tie',0.03,'Neither text is better by a margin worth naming.','{"reasoning":"Neither text is better by a margin worth naming.","winner":"tie","confidence":0.03}',1720,25,312,'default','done',1,NULL,NULL,1,'2025-11-23 12:53:29.096166',NULL,NULL,'2025-11-23 12:53:29.096166','2025-11-23 12:53:29.444265','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,'judge.alpha');
INSERT INTO "pairwise_comparisons" VALUES('01M847FXD0M81B9M6NAHN30HXN','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','01M847FWP1VZGM5DZPNBG5TY34','01M847FWP1VZGM5DZPNBG5TY35','alpha:j1','alpha','j1',1,'b',0.68,'Both are usable, but text B is the more careful of the two.','{"reasoning":"Both are usable, but text B is the more careful of the two.","winner":"B","confidence":0.68}',1773,27,314,'default','done',1,NULL,NULL,1,'2025-11-23 12:53:29.113781',NULL,NULL,'2025-11-23 12:53:29.113781','2025-11-23 12:53:29.451766','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,'judge.alpha');
INSERT INTO "pairwise_comparisons" VALUES('01M847FXD0M81B9M6NAHN30HXP','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','01M847FWP1VZGM5DZPNBG5TY35','01M847FWP1VZGM5DZPNBG5TY34','alpha:j1','alpha','j1',1,'a',0.68,'Text A covers the source more fully and is easier to follow.','{"reasoning":"Text A covers the source more fully and is easier to follow.","winner":"A","confidence":0.68}',1773,27,310,'default','done',1,NULL,NULL,1,'2025-11-23 12:53:29.113781',NULL,NULL,'2025-11-23 12:53:29.113781','2025-11-23 12:53:29.450637','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,'judge.alpha');
INSERT INTO "pairwise_comparisons" VALUES('01M847FYDE7YSTCWX51H03JC9Z','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','01M847FWNRC4PK2XWA8FMGPMBG','01M847FXRRBY712KEA2S3JDZBC','alpha:j1','alpha','j1',1,'a',0.27,'Text A covers the source more fully and is easier to follow.','{"reasoning":"Text A covers the source more fully and is easier to follow.","winner":"A","confidence":0.27}',1841,27,315,'default','done',1,NULL,NULL,1,'2025-11-23 12:53:30.156359',NULL,NULL,'2025-11-23 12:53:30.156359','2025-11-23 12:53:30.492143','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,'judge.alpha');
INSERT INTO "pairwise_comparisons" VALUES('01M847FYDE7YSTCWX51H03JCA0','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','01M847FXRRBY712KEA2S3JDZBC','01M847FWNRC4PK2XWA8FMGPMBG','alpha:j1','alpha','j1',1,'a',0.07,'Text A keeps closer to what was asked and is better ordered.','{"reasoning":"Text A keeps closer to what was asked and is better ordered.","winner":"A","confidence":0.07}',1841,27,311,'default','done',1,NULL,NULL,1,'2025-11-23 12:53:30.156359',NULL,NULL,'2025-11-23 12:53:30.156359','2025-11-23 12:53:30.493287','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,'judge.alpha');
INSERT INTO "pairwise_comparisons" VALUES('01M847FYDE7YSTCWX51H03JCA1','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','01M847FWNRC4PK2XWA8FMGPMBH','01M847FXRRBY712KEA2S3JDZBC','alpha:j1','alpha','j1',1,'a',0.28,'Both are usable, but text A is the more careful of the two.','{"reasoning":"Both are usable, but text A is the more careful of the two.","winner":"A","confidence":0.28}',1904,27,315,'default','done',1,NULL,NULL,1,'2025-11-23 12:53:30.156359',NULL,NULL,'2025-11-23 12:53:30.156359','2025-11-23 12:53:30.494568','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,'judge.alpha');
INSERT INTO "pairwise_comparisons" VALUES('01M847FYDE7YSTCWX51H03JCA2','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5M','01M847FXRRBY712KEA2S3JDZBC','01M847FWNRC4PK2XWA8FMGPMBH','alpha:j1','alpha','j1',1,'b',0.29,'Text B covers the source more fully and is easier to follow.','{"reasoning":"Text B covers the source more fully and is easier to follow.","winner":"B","confidence":0.29}',1904,27,312,'default','done',1,NULL,NULL,1,'2025-11-23 12:53:30.156359',NULL,NULL,'2025-11-23 12:53:30.156359','2025-11-23 12:53:30.494780','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,'judge.alpha');
INSERT INTO "pairwise_comparisons" VALUES('01M847FYDJ2MG3KFJSKXZFMEBY','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','01M847FWP1VZGM5DZPNBG5TY34','01M847FXRFG24PB4F8CGK5RV7N','alpha:j1','alpha','j1',1,'b',0.86,'Both are usable, but text B is the more careful of the two.','{"reasoning":"Both are usable, but text B is the more careful of the two.","winner":"B","confidence":0.86}',1933,27,310,'default','done',1,NULL,NULL,1,'2025-11-23 12:53:30.159840',NULL,NULL,'2025-11-23 12:53:30.159840','2025-11-23 12:53:30.496583','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,'judge.alpha');
INSERT INTO "pairwise_comparisons" VALUES('01M847FYDJ2MG3KFJSKXZFMEBZ','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','01M847FXRFG24PB4F8CGK5RV7N','01M847FWP1VZGM5DZPNBG5TY34','alpha:j1','alpha','j1',1,'a',0.9,'Text A keeps closer to what was asked and is better ordered.','{"reasoning":"Text A keeps closer to what was asked and is better ordered.","winner":"A","confidence":0.9}',1933,27,313,'default','done',1,NULL,NULL,1,'2025-11-23 12:53:30.159840',NULL,NULL,'2025-11-23 12:53:30.159840','2025-11-23 12:53:30.493733','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,'judge.alpha');
INSERT INTO "pairwise_comparisons" VALUES('01M847FYDJ2MG3KFJSKXZFMEC0','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','01M847FWP1VZGM5DZPNBG5TY35','01M847FXRFG24PB4F8CGK5RV7N','alpha:j1','alpha','j1',1,'b',0.2,'Text B keeps closer to what was asked and is better ordered.','{"reasoning":"Text B keeps closer to what was asked and is better ordered.","winner":"B","confidence":0.2}',1969,27,315,'default','done',1,NULL,NULL,1,'2025-11-23 12:53:30.159840',NULL,NULL,'2025-11-23 12:53:30.159840','2025-11-23 12:53:30.496887','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,'judge.alpha');
INSERT INTO "pairwise_comparisons" VALUES('01M847FYDJ2MG3KFJSKXZFMEC1','01M847FWHDSB7ZQ7XJJGQB4SPP','01M847FWHG0JJWT8V8Z2XGNR5N','01M847FXRFG24PB4F8CGK5RV7N','01M847FWP1VZGM5DZPNBG5TY35','alpha:j1','alpha','j1',1,'a',0.65,'Both are usable, but text A is the more careful of the two.','{"reasoning":"Both are usable, but text A is the more careful of the two.","winner":"A","confidence":0.65}',1969,27,310,'default','done',1,NULL,NULL,1,'2025-11-23 12:53:30.159840',NULL,NULL,'2025-11-23 12:53:30.159840','2025-11-23 12:53:30.496164','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,'judge.alpha');
INSERT INTO "pairwise_comparisons" VALUES('01M847G1K4DKXSKVP2S9MQ7359','01M847G0S0EH68G05T910FY4DQ','01M847G0S3BCEP6TYB7YCY9PKS','01M847G0XGBESWYYAF65WYYYSS','01M847G0XGBESWYYAF65WYYYST','alpha:j1','alpha','j1',1,'b',0.28,'Text B covers the source more fully and is easier to follow.','{"reasoning":"Text B covers the source more fully and is easier to follow.","winner":"B","confidence":0.28}',1852,27,306,'default','done',1,NULL,NULL,1,'2025-11-23 12:53:33.405077',NULL,NULL,'2025-11-23 12:53:33.405077','2025-11-23 12:53:33.750685','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,'judge.alpha');
INSERT INTO "pairwise_comparisons" VALUES('01M847G1K4DKXSKVP2S9MQ735A','01M847G0S0EH68G05T910FY4DQ','01M847G0S3BCEP6TYB7YCY9PKS','01M847G0XGBESWYYAF65WYYYST','01M847G0XGBESWYYAF65WYYYSS','alpha:j1','alpha','j1',1,'a',0.4,'Text A keeps closer to what was asked and is better ordered.','{"reasoning":"Text A keeps closer to what was asked and is better ordered.","winner":"A","confidence":0.4}',1852,27,307,'default','done',1,NULL,NULL,1,'2025-11-23 12:53:33.405077',NULL,NULL,'2025-11-23 12:53:33.405077','2025-11-23 12:53:33.748318','{"grounding": "none", "reasoning": "none", "searches": 0, "sources": 0, "flags": []}',NULL,0,0,'judge.alpha');
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
INSERT INTO "reports" VALUES('01M847FZ7FS8V7AN6JMKCK1685','01M847FWHDSB7ZQ7XJJGQB4SPP','run','html','{folder}/reports/01M847FWHDSB7ZQ7XJJGQB4SPP/index.html','2025-11-23 12:53:30.708605','default');
CREATE TABLE resource_pools (
	pool VARCHAR(100) NOT NULL, 
	shared BOOLEAN NOT NULL, 
	variable VARCHAR(100), 
	created_at DATETIME NOT NULL, 
	tenant_id VARCHAR(32) NOT NULL, 
	PRIMARY KEY (pool)
);
CREATE TABLE resource_slots (
	slot_id VARCHAR(400) NOT NULL, 
	pool VARCHAR(100) NOT NULL, 
	name VARCHAR(100) NOT NULL, 
	host VARCHAR(255), 
	drained BOOLEAN DEFAULT 0 NOT NULL, 
	submission_id INTEGER, 
	version INTEGER, 
	epoch INTEGER, 
	held_since DATETIME, 
	tenant_id VARCHAR(32) NOT NULL, 
	PRIMARY KEY (slot_id), 
	FOREIGN KEY(pool) REFERENCES resource_pools (pool), 
	CONSTRAINT resource_slots_once UNIQUE (pool, name, host)
);
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
	tenant_id VARCHAR(32) NOT NULL, reason TEXT, distributed BOOLEAN DEFAULT 0 NOT NULL, revision INTEGER DEFAULT '0' NOT NULL, rejudged_from VARCHAR(32), requested_at DATETIME, settled BOOLEAN DEFAULT 0 NOT NULL, 
	PRIMARY KEY (run_id)
);
INSERT INTO "runs" VALUES('01M847FWHDSB7ZQ7XJJGQB4SPP','fb6f27d793c839910f23990775808390a838f155c5d113f9a7edc6712c5d7bee','config.yaml','done','{"input_folder": "{folder}/inputs", "output_folder": "{folder}/outputs", "winners_folder": "{folder}/winners", "reports_folder": "{folder}/reports", "evaluation_folder": null, "instructions_file": "{folder}/instructions.md", "guidelines_file": null, "one_file_only": false, "providers": {"alpha": {"dialect": "openai_chat", "base_url": "{url}", "key_env": null, "requests_per_minute": null, "tokens_per_minute": null, "max_in_flight": 8, "launch_delay_seconds": 0.0, "timeout_seconds": 600.0, "background": false, "poll_seconds": 10.0, "models": {}, "prices": {"m1": {"input": 1.0, "output": 4.0, "cached": 0.5, "cache_write": null, "search_input": null, "search": null, "search_per": "search"}, "m2": {"input": 1.0, "output": 4.0, "cached": 0.5, "cache_write": null, "search_input": null, "search": null, "search_per": "search"}, "j1": {"input": 1.0, "output": 4.0, "cached": 0.5, "cache_write": null, "search_input": null, "search": null, "search_per": "search"}}, "capabilities": {}}}, "runs": [{"type": "fpf", "folder": null, "provider": "alpha", "model": "m1", "iterations": 1, "json": "auto", "schema": null, "require": {"grounding": "none", "reasoning": "none"}, "effort": null, "max_searches": null, "max_tokens": null, "temperature": null, "research": null}, {"type": "fpf", "folder": null, "provider": "alpha", "model": "m2", "iterations": 1, "json": "auto", "schema": null, "require": {"grounding": "none", "reasoning": "none"}, "effort": null, "max_searches": null, "max_tokens": null, "temperature": null, "research": null}], "retriever": null, "judges": [{"name": "alpha:j1", "provider": "alpha", "model": "j1", "weight": 1.0, "iterations": 1, "max_tokens": 4096, "temperature": null, "system_prompt": null, "prompts": null, "json": null, "require": {"grounding": "none", "reasoning": "none"}, "effort": null, "max_searches": null}], "criteria": [{"name": "accuracy", "description": "Facts are right; nothing is invented", "weight": 0.3, "min": 1.0, "max": 10.0, "step": 1.0, "prompt_guidance": ""}, {"name": "completeness", "description": "Covers everything that was asked for", "weight": 0.25, "min": 1.0, "max": 10.0, "step": 1.0, "prompt_guidance": ""}, {"name": "clarity", "description": "Well written and easy to understand", "weight": 0.2, "min": 1.0, "max": 10.0, "step": 1.0, "prompt_guidance": ""}, {"name": "relevance", "description": "Stays on the subject", "weight": 0.15, "min": 1.0, "max": 10.0, "step": 1.0, "prompt_guidance": ""}, {"name": "formatting", "description": "Sound structure, headings and lists", "weight": 0.1, "min": 1.0, "max": 10.0, "step": 1.0, "prompt_guidance": ""}], "pairwise": {"enabled": true, "strategy": "round_robin", "position_swap": "both", "top_n": null, "iterations": 1, "judges": null, "stop_confidence": 0.9, "stop_within": null, "max_comparisons": null, "tie_below_confidence": null}, "playoffs": {"enabled": true, "parents": 2, "models": null, "instructions": null, "min_confidence": 0.5, "iterations": 2, "judges": null, "criteria": null, "pairwise": true}, "ranking": {"method": "auto", "aggregation": "mean", "elo": {"k": 32.0, "initial": 1500.0, "order": "chronological"}, "top_n": {"count": 3, "threshold": 0.7, "min": 1, "max": 5}}, "retries": {"attempts": 2, "base_delay_seconds": 0.05, "max_delay_seconds": 60.0, "deadline_seconds": 3600.0, "give_up_after": 10}, "budget_usd": null, "policies": {"providers": {}}, "missing_score": null, "cache": "reuse", "skip": "auto", "json": "auto", "jsonify": null, "report": true, "seed": 0}','Rewrite the text for readers who are new to the subject.',NULL,'[]','{"calls": 26, "usd": 0.127434, "most_calls": 224, "most_usd": null}',0,'2025-11-23 12:53:28.234075','2025-11-23 12:53:30.522206','default',NULL,0,0,NULL,NULL,0);
INSERT INTO "runs" VALUES('01M847G0S0EH68G05T910FY4DQ','e40e5da9cae9e35164825712ffef5ac263e16f995e84e10627cacc8ca6569230','config.yaml','running','{"input_folder": "{folder}/inputs", "output_folder": "{folder}/outputs", "winners_folder": "{folder}/winners", "reports_folder": "{folder}/reports", "evaluation_folder": null, "instructions_file": "{folder}/instructions.md", "guidelines_file": null, "one_file_only": false, "providers": {"alpha": {"dialect": "openai_chat", "base_url": "{url}", "key_env": null, "requests_per_minute": null, "tokens_per_minute": null, "max_in_flight": 8, "launch_delay_seconds": 0.0, "timeout_seconds": 600.0, "background": false, "poll_seconds": 10.0, "models": {}, "prices": {"m1": {"input": 1.0, "output": 4.0, "cached": 0.5, "cache_write": null, "search_input": null, "search": null, "search_per": "search"}, "m2": {"input": 1.0, "output": 4.0, "cached": 0.5, "cache_write": null, "search_input": null, "search": null, "search_per": "search"}, "j1": {"input": 1.0, "output": 4.0, "cached": 0.5, "cache_write": null, "search_input": null, "search": null, "search_per": "search"}}, "capabilities": {}}}, "runs": [{"type": "fpf", "folder": null, "provider": "alpha", "model": "m1", "iterations": 1, "json": "auto", "schema": null, "require": {"grounding": "none", "reasoning": "none"}, "effort": null, "max_searches": null, "max_tokens": null, "temperature": null, "research": null}, {"type": "fpf", "folder": null, "provider": "alpha", "model": "m2", "iterations": 1, "json": "auto", "schema": null, "require": {"grounding": "none", "reasoning": "none"}, "effort": null, "max_searches": null, "max_tokens": null, "temperature": null, "research": null}], "retriever": null, "judges": [{"name": "alpha:j1", "provider": "alpha", "model": "j1", "weight": 1.0, "iterations": 1, "max_tokens": 4096, "temperature": null, "system_prompt": null, "prompts": null, "json": null, "require": {"grounding": "none", "reasoning": "none"}, "effort": null, "max_searches": null}], "criteria": [{"name": "accuracy", "description": "Facts are right; nothing is invented", "weight": 0.3, "min": 1.0, "max": 10.0, "step": 1.0, "prompt_guidance": ""}, {"name": "completeness", "description": "Covers everything that was asked for", "weight": 0.25, "min": 1.0, "max": 10.0, "step": 1.0, "prompt_guidance": ""}, {"name": "clarity", "description": "Well written and easy to understand", "weight": 0.2, "min": 1.0, "max": 10.0, "step": 1.0, "prompt_guidance": ""}, {"name": "relevance", "description": "Stays on the subject", "weight": 0.15, "min": 1.0, "max": 10.0, "step": 1.0, "prompt_guidance": ""}, {"name": "formatting", "description": "Sound structure, headings and lists", "weight": 0.1, "min": 1.0, "max": 10.0, "step": 1.0, "prompt_guidance": ""}], "pairwise": {"enabled": true, "strategy": "round_robin", "position_swap": "both", "top_n": null, "iterations": 1, "judges": null, "stop_confidence": 0.9, "stop_within": null, "max_comparisons": null, "tie_below_confidence": null}, "playoffs": {"enabled": true, "parents": 2, "models": null, "instructions": null, "min_confidence": 0.5, "iterations": 2, "judges": null, "criteria": null, "pairwise": true}, "ranking": {"method": "auto", "aggregation": "mean", "elo": {"k": 32.0, "initial": 1500.0, "order": "chronological"}, "top_n": {"count": 3, "threshold": 0.7, "min": 1, "max": 5}}, "retries": {"attempts": 2, "base_delay_seconds": 0.05, "max_delay_seconds": 60.0, "deadline_seconds": 3600.0, "give_up_after": 10}, "budget_usd": null, "policies": {"providers": {}}, "missing_score": null, "cache": "reuse", "skip": "auto", "json": "auto", "jsonify": null, "report": true, "seed": 0}','Rewrite the text for readers who are new to the subject.',NULL,'[{"path": "rivers.md", "run_id": "01M847FWHDSB7ZQ7XJJGQB4SPP", "document_id": "01M847FWHG0JJWT8V8Z2XGNR5M"}, {"path": "wind.md", "run_id": "01M847FWHDSB7ZQ7XJJGQB4SPP", "document_id": "01M847FWHG0JJWT8V8Z2XGNR5N"}]','{"calls": 13, "usd": 0.063725, "most_calls": 112, "most_usd": null}',0,'2025-11-23 12:53:32.572776',NULL,'default',NULL,0,0,NULL,NULL,0);
CREATE TABLE sessions (
	digest VARCHAR(64) NOT NULL, 
	key_id VARCHAR(32) NOT NULL, 
	csrf VARCHAR(64) NOT NULL, 
	created_at DATETIME NOT NULL, 
	expires_at DATETIME NOT NULL, 
	tenant_id VARCHAR(32) NOT NULL, 
	PRIMARY KEY (digest), 
	FOREIGN KEY(key_id) REFERENCES api_keys (key_id)
);
CREATE TABLE submission_tasks (
	task_key VARCHAR(100) NOT NULL, 
	spec JSON NOT NULL, 
	created_at DATETIME NOT NULL, 
	updated_at DATETIME NOT NULL, 
	tenant_id VARCHAR(32) NOT NULL, 
	PRIMARY KEY (task_key)
);
CREATE TABLE submission_versions (
	submission_id INTEGER NOT NULL, 
	version INTEGER NOT NULL, 
	task_key VARCHAR(100) NOT NULL, 
	round INTEGER DEFAULT '1' NOT NULL, 
	source VARCHAR(16) NOT NULL, 
	content TEXT NOT NULL, 
	content_digest VARCHAR(64) NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	epoch INTEGER NOT NULL, 
	attempts INTEGER NOT NULL, 
	lease_until DATETIME, 
	owner VARCHAR(128), 
	score FLOAT, 
	sort_key JSON, 
	metrics JSON NOT NULL, 
	message TEXT NOT NULL, 
	cause VARCHAR(32), 
	error TEXT, 
	log TEXT NOT NULL, 
	isolation VARCHAR(16), 
	queued_at DATETIME NOT NULL, 
	started_at DATETIME, 
	finished_at DATETIME, 
	tenant_id VARCHAR(32) NOT NULL, 
	PRIMARY KEY (submission_id, version), 
	FOREIGN KEY(submission_id) REFERENCES submissions (submission_id)
);
CREATE TABLE submissions (
	submission_id INTEGER NOT NULL, 
	task_key VARCHAR(100) NOT NULL, 
	author VARCHAR(200) NOT NULL, 
	title VARCHAR(500) NOT NULL, 
	tags JSON NOT NULL, 
	abstract TEXT NOT NULL, 
	tick INTEGER, 
	no_debugger BOOLEAN DEFAULT 0 NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	round INTEGER DEFAULT '1' NOT NULL, 
	notified_version INTEGER, 
	imported_from VARCHAR(500), 
	created_at DATETIME NOT NULL, 
	finished_at DATETIME, 
	tenant_id VARCHAR(32) NOT NULL, 
	PRIMARY KEY (submission_id), 
	FOREIGN KEY(task_key) REFERENCES submission_tasks (task_key), 
	CONSTRAINT submissions_once_imported UNIQUE (imported_from)
);
CREATE TABLE tenants (
	tenant_id VARCHAR(32) NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	created_at DATETIME NOT NULL, usd_per_day FLOAT, runs_at_once INTEGER, documents_per_run INTEGER, 
	PRIMARY KEY (tenant_id)
);
INSERT INTO "tenants" VALUES('default','default','2025-11-23 12:53:28',NULL,NULL,NULL);
CREATE TABLE uploads (
	tenant_id VARCHAR(32) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	text TEXT NOT NULL, 
	size INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	PRIMARY KEY (tenant_id, digest)
);
CREATE TABLE users (
	user_id VARCHAR(32) NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	created_at DATETIME NOT NULL, 
	disabled_at DATETIME, 
	tenant_id VARCHAR(32) NOT NULL, 
	PRIMARY KEY (user_id), 
	CONSTRAINT users_once UNIQUE (tenant_id, name)
);
CREATE TABLE version_runs (
	submission_id INTEGER NOT NULL, 
	version INTEGER NOT NULL, 
	epoch INTEGER NOT NULL, 
	owner VARCHAR(128) NOT NULL, 
	host VARCHAR(255) NOT NULL, 
	process VARCHAR(255), 
	isolation VARCHAR(16), 
	slots JSON NOT NULL, 
	outcome VARCHAR(16), 
	exit_code INTEGER, 
	log TEXT NOT NULL, 
	claimed_at DATETIME NOT NULL, 
	ended_at DATETIME, 
	tenant_id VARCHAR(32) NOT NULL, 
	PRIMARY KEY (submission_id, version, epoch), 
	FOREIGN KEY(submission_id, version) REFERENCES submission_versions (submission_id, version)
);
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
CREATE INDEX artifacts_by_owner ON artifacts (owner) WHERE state = 'claimed';
CREATE INDEX eval_results_by_owner ON eval_results (owner) WHERE state = 'claimed';
CREATE INDEX pairwise_comparisons_by_owner ON pairwise_comparisons (owner) WHERE state = 'claimed';
CREATE INDEX calls_by_owner ON calls (owner) WHERE state = 'started';
CREATE INDEX resource_slots_by_holder ON resource_slots (submission_id, version);
CREATE INDEX submissions_by_author ON submissions (author, state);
CREATE INDEX submissions_by_task ON submissions (task_key, submission_id);
CREATE INDEX submissions_open ON submissions (submission_id) WHERE state = 'open';
CREATE INDEX debug_sessions_open ON debug_sessions (created_at) WHERE state <> 'ended';
CREATE INDEX outbox_by_submission ON outbox (submission_id);
CREATE INDEX outbox_to_send ON outbox (next_try_at) WHERE state IN ('pending', 'sending');
CREATE INDEX submission_versions_held ON submission_versions (task_key, lease_until) WHERE state IN ('claimed', 'running');
CREATE INDEX submission_versions_queued ON submission_versions (task_key, queued_at, submission_id, version) WHERE state = 'queued';
CREATE INDEX runs_by_tenant ON runs (tenant_id, run_id);
CREATE INDEX audit_events_by_tenant ON audit_events (tenant_id, audit_id);
CREATE INDEX artifacts_to_publish ON artifacts (run_id, lane, document_id, artifact_id) WHERE state = 'planned' AND published_at IS NULL;
CREATE INDEX artifacts_published ON artifacts (run_id, lane, published_at) WHERE state = 'planned' AND published_at IS NOT NULL;
CREATE INDEX artifacts_to_poll ON artifacts (run_id, not_before) WHERE state = 'planned' AND not_before IS NOT NULL;
CREATE INDEX eval_results_to_publish ON eval_results (run_id, lane, document_id, eval_id) WHERE state = 'planned' AND published_at IS NULL;
CREATE INDEX eval_results_published ON eval_results (run_id, lane, published_at) WHERE state = 'planned' AND published_at IS NOT NULL;
CREATE INDEX eval_results_to_poll ON eval_results (run_id, not_before) WHERE state = 'planned' AND not_before IS NOT NULL;
CREATE INDEX pairwise_comparisons_to_publish ON pairwise_comparisons (run_id, lane, document_id, comparison_id) WHERE state = 'planned' AND published_at IS NULL;
CREATE INDEX pairwise_comparisons_published ON pairwise_comparisons (run_id, lane, published_at) WHERE state = 'planned' AND published_at IS NOT NULL;
CREATE INDEX pairwise_comparisons_to_poll ON pairwise_comparisons (run_id, not_before) WHERE state = 'planned' AND not_before IS NOT NULL;
CREATE INDEX artifacts_listed ON artifacts (run_id, artifact_id);
CREATE INDEX calls_listed ON calls (run_id, call_id);
COMMIT;
