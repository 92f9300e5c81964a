-- A check of a claim without a value, which releases before took, ends. The version keeps entity tags apart.
UPDATE `contacts` SET
  `identity_verification` = json_set(`identity_verification`, '$.result', 'ended'),
  `version` = max(`version` + 1, strftime('%s', 'now') * 1000)
WHERE `identity_verification` ->> '$.result' <> 'ended'
  AND trim(`ident`, ' !"#$%&''()*+,-./:;<=>?@[\]^_`{|}~') = '';--> statement-breakpoint
UPDATE `contacts` SET
  `name_verification` = json_set(`name_verification`, '$.result', 'ended'),
  `version` = max(`version` + 1, strftime('%s', 'now') * 1000)
WHERE `name_verification` ->> '$.result' <> 'ended'
  AND trim(`name`) = '';--> statement-breakpoint
UPDATE `contacts` SET
  `email_verification` = json_set(`email_verification`, '$.result', 'ended'),
  `version` = max(`version` + 1, strftime('%s', 'now') * 1000)
WHERE `email_verification` ->> '$.result' <> 'ended'
  AND trim(`email`) = '';--> statement-breakpoint
UPDATE `contacts` SET
  `phone_verification` = json_set(`phone_verification`, '$.result', 'ended'),
  `version` = max(`version` + 1, strftime('%s', 'now') * 1000)
WHERE `phone_verification` ->> '$.result' <> 'ended'
  AND trim(`phone`) = '';--> statement-breakpoint
UPDATE `contacts` SET
  `address_verification` = json_set(`address_verification`, '$.result', 'ended'),
  `version` = max(`version` + 1, strftime('%s', 'now') * 1000)
WHERE `address_verification` ->> '$.result' <> 'ended'
  AND trim(ifnull(`street`, '') || ifnull(`zip`, '') || ifnull(`city`, '') || ifnull(`state`, '') || ifnull(`country_code`, '')) = '';
