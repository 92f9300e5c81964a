CREATE TABLE `desk_looks` (
	`id` integer PRIMARY KEY NOT NULL,
	`looked_at` text NOT NULL,
	`looked_by` text NOT NULL,
	`subject` text NOT NULL,
	`key` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `desk_looks_looked_at` ON `desk_looks` (`looked_at`);--> statement-breakpoint
CREATE INDEX `desk_looks_subject_key` ON `desk_looks` (`subject`,`key`);
