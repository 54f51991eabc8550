-- shared
-- The block “From the brand” of an account's pages: {"text", "links", "picture"}, each perhaps null; null: no block.
alter table brand add column story json;
-- By the id of its picture, whose address names no account.
create index brand_story_picture on brand ((story->'picture'->>'media')) where story->'picture'->>'media' is not null;
