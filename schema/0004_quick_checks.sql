-- The CHECKs of every edit and change, in words that SQLite looks at quickly. For `x IN (...)` with three words and more it makes a
-- table of the words for each row that it checks: that was three quarters of the work for an edit. The rules are the same, and so no
-- row has to be looked at: only the text of the tables changes.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema
   SET sql = replace(replace(sql,
    'CHECK (kind IN (''translate'', ''rotate'', ''scale'', ''ball'', ''wheel'', ''set'', ''create'', ''delete'',
                                       ''undo'', ''redo'', ''restore'', ''import''))',
    'CHECK (kind = ''translate'' OR kind = ''rotate'' OR kind = ''scale'' OR kind = ''ball'' OR kind = ''wheel''
               OR kind = ''set'' OR kind = ''create'' OR kind = ''delete'' OR kind = ''undo'' OR kind = ''redo''
               OR kind = ''restore'' OR kind = ''import'')'),
    'CHECK (handle IN (''tx'', ''ty'', ''tz'', ''txy'', ''tyz'', ''tzx'', ''tv'', ''rx'', ''ry'', ''rz'', ''rv'', ''rb'',
                                  ''sx'', ''sy'', ''sz'', ''sxy'', ''syz'', ''szx'', ''su'',
                                  ''bxn'', ''bxp'', ''byn'', ''byp'', ''bzn'', ''bzp'',
                                  ''bnnn'', ''bnnp'', ''bnpn'', ''bnpp'', ''bpnn'', ''bpnp'', ''bppn'', ''bppp''))',
    'CHECK (handle IS NULL OR handle = ''tx'' OR handle = ''ty'' OR handle = ''tz'' OR handle = ''txy'' OR handle = ''tyz''
               OR handle = ''tzx'' OR handle = ''tv'' OR handle = ''rx'' OR handle = ''ry'' OR handle = ''rz''
               OR handle = ''rv'' OR handle = ''rb'' OR handle = ''sx'' OR handle = ''sy'' OR handle = ''sz''
               OR handle = ''sxy'' OR handle = ''syz'' OR handle = ''szx'' OR handle = ''su'' OR handle = ''bxn''
               OR handle = ''bxp'' OR handle = ''byn'' OR handle = ''byp'' OR handle = ''bzn''
               OR handle = ''bzp'' OR handle = ''bnnn'' OR handle = ''bnnp'' OR handle = ''bnpn''
               OR handle = ''bnpp'' OR handle = ''bpnn'' OR handle = ''bpnp'' OR handle = ''bppn''
               OR handle = ''bppp'')')
 WHERE type = 'table' AND name = 'edits';
UPDATE sqlite_schema
   SET sql = replace(sql,
    'CHECK (did IN (''create'', ''change'', ''delete''))',
    'CHECK (did = ''create'' OR did = ''change'' OR did = ''delete'')')
 WHERE type = 'table' AND name = 'changes';
PRAGMA writable_schema = RESET;
