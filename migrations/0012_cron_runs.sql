CREATE TABLE `cron_runs` (
	`id` integer PRIMARY KEY NOT NULL,
	`cron` text NOT NULL,
	`started_at` text NOT NULL,
	`took_ms` integer NOT NULL,
	`failed` text NOT NULL
);
--> statement-breakpoint
ALTER TABLE `auction_changes` ADD `at` text;--> statement-breakpoint
ALTER TABLE `retained_changes` ADD `at` text;--> statement-breakpoint
ALTER TABLE `retained_changes` ADD `status` text;