CREATE TABLE `disclosures` (
	`id` integer PRIMARY KEY NOT NULL,
	`ident_country_code` text,
	`ident_key` text,
	`ident_type` text,
	`contact_uuid` text,
	`contact_code` text,
	`requester` text NOT NULL,
	`identified_by` text NOT NULL,
	`organization` text NOT NULL,
	`basis` text NOT NULL,
	`requested_fields` text NOT NULL,
	`confidential` integer NOT NULL,
	`received_at` text NOT NULL,
	`outcome` text,
	`answered_at` text,
	`granted_fields` text,
	`visible_after` text,
	`explanation` text,
	CONSTRAINT "disclosures_outcome" CHECK("disclosures"."outcome" in ('granted', 'refused', 'returned')),
	CONSTRAINT "disclosures_answered" CHECK(("disclosures"."outcome" is null) = ("disclosures"."answered_at" is null)),
	CONSTRAINT "disclosures_granted" CHECK(("disclosures"."outcome" is 'granted') = ("disclosures"."granted_fields" is not null))
);
--> statement-breakpoint
CREATE INDEX `disclosures_of_identity` ON `disclosures` (`ident_country_code`,`ident_key`) WHERE ident_type = 'priv' and outcome = 'granted';--> statement-breakpoint
CREATE INDEX `disclosures_of_contact` ON `disclosures` (`contact_uuid`);--> statement-breakpoint
CREATE INDEX `disclosures_open` ON `disclosures` (`received_at`) WHERE outcome is null;