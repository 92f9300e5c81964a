CREATE TABLE `archived_deletions` (
	`id` integer PRIMARY KEY NOT NULL,
	`occurred_at` text NOT NULL,
	`subject` text NOT NULL,
	`subject_key` text NOT NULL,
	`subject_uuid` text,
	`changes` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `archived_deletions_subject_key` ON `archived_deletions` (`subject`,`subject_key`);