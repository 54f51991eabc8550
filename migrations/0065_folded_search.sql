-- shard
-- Search texts get a copy without accents, as src/kernel/text/search-text.ts makes it. Most are ASCII and stay as they are.
update passport set search = search || E'\n' ||
  replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(search, nfkd),
    E'[\u00ad\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]', '', 'g'), nfc),
    'łøđðħıς', 'loddhiσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th')
where octet_length(search) > char_length(search) and (normalize(search, nfkd) <> search or search ~
  E'[ßæœþłøđðħıς\u00ad\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]');
