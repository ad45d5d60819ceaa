-- Holders are lost first, and then anything is answered: by another script, since it is rarely so.
if meta[3] and tonumber(meta[3]) <= now then return {'due'} end
