CREATE TABLE `history_archives` (
	`id` integer PRIMARY KEY NOT NULL,
	`file` text NOT NULL,
	`run` text NOT NULL,
	CONSTRAINT "history_archives_single" CHECK("history_archives"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE `history_permits` (
	`id` integer PRIMARY KEY NOT NULL,
	`permission` text NOT NULL,
	`first_id` integer NOT NULL,
	`last_id` integer NOT NULL,
	CONSTRAINT "history_permits_single" CHECK("history_permits"."id" = 1),
	CONSTRAINT "history_permits_permission" CHECK("history_permits"."permission" in ('archive', 'remove_values'))
);
--> statement-breakpoint
CREATE TABLE `sweeps` (
	`name` text PRIMARY KEY NOT NULL,
	`after` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `contacts` ADD `unlinked_at` text;