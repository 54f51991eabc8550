create or replace function public.carnet_add_counts(a json, b json) returns json language sql immutable parallel safe as $$
  select coalesce(json_object_agg(key, n), '{}'::json) from (
    select key, sum(value::bigint) as n
    from (select key, value from json_each_text(a) union all select key, value from json_each_text(b)) both_of_them
    group by key
  ) summed
$$;
