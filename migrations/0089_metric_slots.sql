-- shared
-- Where each metric of a category is stored, so that no later table of products in use moves one or measures it otherwise.
-- carnet_measure is in functions/.
create table metric_slot (
  category text not null,
  name     text not null,
  slot     smallint not null,
  unit     text not null,
  primary key (category, name),
  unique (category, slot)
);
