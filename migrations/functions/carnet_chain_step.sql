-- The step of the aggregate `carnet_chain`: over the versions of a passport in their order, the hash that each should have.
create or replace function public.carnet_chain_step(so_far bytea, birth bytea, facts text) returns bytea language sql stable parallel safe as $$
  select public.carnet_link(coalesce(so_far, birth), facts)
$$;
