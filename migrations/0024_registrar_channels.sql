ALTER TABLE `registrars` ADD `phone` text;--> statement-breakpoint
ALTER TABLE `registrars` ADD `email` text;--> statement-breakpoint
ALTER TABLE `registrars` ADD `website` text;