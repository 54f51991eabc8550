-- The units of a content in the order they are listed in: a page of the outdated ones, or of those that a correction
-- touched, is read and not sorted out of all there are.
create index passport_of_content on passport (account_id, content_id, id) where parent_id is not null;
drop index passport_content;
alter index passport_of_content rename to passport_content;
