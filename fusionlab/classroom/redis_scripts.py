"""What Redis must do in one indivisible step, in its own language.

The keys of one room start with ``fusionlab:<room>:``; all of them live exactly as long as the room.
"""

from __future__ import annotations

CREATE = """
-- KEYS: room, passes, pin, key, opened, rooms
-- ARGV: id, seq, body, teacher's token, pass, milliseconds, limit, now
local known = redis.call('GET', KEYS[5])
if known then return {'known', known} end
redis.call('ZREMRANGEBYSCORE', KEYS[6], '-inf', ARGV[8])
if redis.call('ZCARD', KEYS[6]) >= tonumber(ARGV[7]) then return {'full', ''} end
if redis.call('EXISTS', KEYS[3]) == 1 then return {'taken', ''} end
redis.call('HSET', KEYS[1], 'seq', ARGV[2], 'ballot', '', 'body', ARGV[3])
redis.call('HSET', KEYS[2], ARGV[4], ARGV[5])
redis.call('ZADD', KEYS[6], ARGV[8] + ARGV[6], ARGV[1])
for i = 3, 5 do redis.call('SET', KEYS[i], ARGV[1]) end
for i = 1, 5 do redis.call('PEXPIRE', KEYS[i], ARGV[6]) end
return {'new', ARGV[1]}
"""

SAVE = """
-- KEYS: room, rooms, then every other key of the room
-- ARGV: id, expected, seq, ballot, body, milliseconds, now, channel, notice
if redis.call('HGET', KEYS[1], 'seq') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'seq', ARGV[3], 'ballot', ARGV[4], 'body', ARGV[5])
redis.call('ZADD', KEYS[2], ARGV[7] + ARGV[6], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[6])
for i = 3, #KEYS do redis.call('PEXPIRE', KEYS[i], ARGV[6]) end
redis.call('PUBLISH', ARGV[8], ARGV[9])
return 1
"""

JOIN = """
-- KEYS: room, passes, people     ARGV: token, student, name, limit, channel, notice
local left = redis.call('PTTL', KEYS[1])
if left <= 0 then return {'gone', ''} end
local known = redis.call('HGET', KEYS[2], ARGV[1])
if known then return {'known', known} end
local number = redis.call('HLEN', KEYS[3]) + 1
if number > tonumber(ARGV[4]) then return {'full', ''} end
redis.call('HSET', KEYS[3], ARGV[2], number .. ' ' .. ARGV[3])
redis.call('HSET', KEYS[2], ARGV[1], 'student ' .. ARGV[2])
redis.call('PEXPIRE', KEYS[2], left)
redis.call('PEXPIRE', KEYS[3], left)
redis.call('PUBLISH', ARGV[5], ARGV[6])
return {'new', tostring(number)}
"""

KICK = """
-- KEYS: room, people, kicked     ARGV: student, channel, notice
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 0 then return 0 end
redis.call('SADD', KEYS[3], ARGV[1])
redis.call('PEXPIRE', KEYS[3], math.max(1, redis.call('PTTL', KEYS[1])))
redis.call('PUBLISH', ARGV[2], ARGV[3])
return 1
"""

VOTE = """
-- KEYS: room, people, kicked, votes
-- ARGV: ballot, student, round, choice, turn, channel, notice
if redis.call('HGET', KEYS[1], 'ballot') ~= ARGV[1] then return 'not_open' end
if redis.call('HEXISTS', KEYS[2], ARGV[2]) == 0 then return 'not_open' end
if redis.call('SISMEMBER', KEYS[3], ARGV[2]) == 1 then return 'not_open' end
local field = ARGV[3] .. ' ' .. ARGV[2]
local kept = redis.call('HGET', KEYS[4], field)
if kept and tonumber(string.match(kept, ' (%d+)')) > tonumber(ARGV[5]) then return 'outdated' end
redis.call('HSET', KEYS[4], field, ARGV[4] .. ' ' .. ARGV[5])
redis.call('PEXPIRE', KEYS[4], math.max(1, redis.call('PTTL', KEYS[1])))
redis.call('PUBLISH', ARGV[6], ARGV[7])
return 'yes'
"""

MOVE_TO = """
-- KEYS: room     ARGV: showing, step, level, by, channel, notice
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'showing', ARGV[1], 'step', ARGV[2], 'level', ARGV[3], 'by', ARGV[4])
redis.call('PUBLISH', ARGV[5], ARGV[6])
return 1
"""
