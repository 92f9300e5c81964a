CREATE TABLE `auction_changes` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `list_leftovers` (
	`publication` text PRIMARY KEY NOT NULL,
	`list` text NOT NULL,
	`keys` text,
	`since` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `list_publications` (
	`list` text PRIMARY KEY NOT NULL,
	`publication` text NOT NULL,
	`etag` text NOT NULL,
	`source_version` text NOT NULL,
	`journal_position` integer NOT NULL,
	`day` text NOT NULL,
	`head` text NOT NULL,
	`metadata` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `retained_changes` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL
);
