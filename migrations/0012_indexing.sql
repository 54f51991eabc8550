-- Whether search engines may list an account's models; the sitemap of those that may.

alter table account add column indexable boolean not null default true;

-- The sitemap reads models in the order of their ids, whosever they are, a file at a time; items are no part of it.
create index passport_models on passport (level, id) where level = 'm';
