ALTER TABLE `contacts` ADD `identity_verification` text;--> statement-breakpoint
ALTER TABLE `contacts` ADD `name_verification` text;--> statement-breakpoint
ALTER TABLE `contacts` ADD `email_verification` text;--> statement-breakpoint
ALTER TABLE `contacts` ADD `phone_verification` text;--> statement-breakpoint
ALTER TABLE `contacts` ADD `address_verification` text;--> statement-breakpoint
ALTER TABLE `contacts` ADD `verification_demand` text;--> statement-breakpoint
ALTER TABLE `contacts` ADD `identity_request` text;--> statement-breakpoint
CREATE INDEX `contacts_unverified` ON `contacts` (`registrar_id`,`number`) WHERE identity_verification ->> '$.result' is not 'success';--> statement-breakpoint
CREATE INDEX `contacts_demanded` ON `contacts` (verification_demand ->> '$.by') WHERE verification_demand is not null;