CREATE TABLE `contact_names` (
	`words` text NOT NULL,
	`contact_id` integer NOT NULL,
	PRIMARY KEY(`words`, `contact_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `former_contacts` (
	`id` integer PRIMARY KEY NOT NULL,
	`uuid` text NOT NULL,
	`name_key` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `former_contacts_uuid_unique` ON `former_contacts` (`uuid`);--> statement-breakpoint
DROP INDEX `history_of_deleted_persons`;--> statement-breakpoint
CREATE INDEX `history_of_deleted_idents` ON `history` (changes ->> '$.ident.key',changes ->> '$.identCountryCode.from') WHERE subject = 'contact' and action = 'delete';--> statement-breakpoint
CREATE INDEX `history_of_emails` ON `history` (upper(changes ->> '$.email.from')) WHERE subject = 'contact' and changes ->> '$.email.from' is not null;--> statement-breakpoint
CREATE INDEX `history_of_corrected_idents` ON `history` (upper(replace(replace(changes ->> '$.ident.from', '-', ''), ' ', ''))) WHERE subject = 'contact' and action = 'update' and coalesce(changes -> '$.ident', changes -> '$.identType', changes -> '$.identCountryCode') is not null;--> statement-breakpoint
CREATE INDEX `contacts_by_phone` ON `contacts` (substr(replace(replace(phone, '.', ''), ' ', ''), -7));
