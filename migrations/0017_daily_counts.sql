CREATE TABLE `daily_counts` (
	`day` text NOT NULL,
	`list` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`day`, `list`),
	CONSTRAINT "daily_counts_day" CHECK("daily_counts"."day" is date("daily_counts"."day")),
	CONSTRAINT "daily_counts_count" CHECK("daily_counts"."count" >= 0)
);
