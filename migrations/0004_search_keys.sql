-- The keys of names and addresses with one of the two letters whose upper case is not that of their lower case.
UPDATE contacts SET
  name_key = replace(replace(name_key, 'ẞ', 'SS'), 'ϴ', 'Θ'),
  email_key = replace(replace(email_key, 'ẞ', 'SS'), 'ϴ', 'Θ')
WHERE name_key || email_key GLOB '*[ẞϴ]*';
