CREATE TABLE `retained_replacements` (
	`replacement` text NOT NULL,
	`name` text NOT NULL,
	`punycode` text NOT NULL,
	`status` text NOT NULL,
	PRIMARY KEY(`replacement`, `name`, `status`),
	CONSTRAINT "retained_replacements_status" CHECK("retained_replacements"."status" in ('reserved', 'blocked'))
);
