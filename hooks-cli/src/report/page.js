'use strict';
// Everything that this shows is text of others: it becomes text nodes, never markup.
const data = JSON.parse(document.getElementById('data').textContent);
const at = (id) => document.getElementById(id);
const FIRST = 40;

function make(name, fields, ...children) {
  const element = document.createElement(name);
  Object.assign(element, fields);
  element.append(...children);
  return element;
}

function draw(name, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const count = (number) => number.toLocaleString('en-US');
const dollars = (micro) => '$' + (micro / 1e6).toFixed(2);
// A time of the log can be any number.
const MOST_TIME = 8.64e15;
const time = (ms) => ms ? new Date(Math.min(ms, MOST_TIME)).toISOString().replace('T', ' ').slice(0, 19) : '';
const WORDS = { deny: 'denied', ask: 'asked', allow: 'allowed', no_opinion: 'passed' };
const word = (outcome) => make('span', { className: outcome || '' }, WORDS[outcome] || outcome || '');

function about() {
  const parts = [`log ${data.log}`, `${count(data.records)} records`];
  if (data.records) parts.push(`${time(data.first)} to ${time(data.last)} UTC`);
  if (data.since) parts.push(`since ${data.since}`);
  if (data.until) parts.push(`until ${data.until}`);
  at('about').textContent = parts.join(', ');
  const sums = data.sums;
  const shown = [
    ['calls', count(sums.calls)], ['denied', count(sums.denied), 'deny'], ['asked', count(sums.asked), 'ask'],
    ['failed', count(sums.failed)], ['spent', dollars(sums.cost)],
    ['tokens in', count(sums.tokens_in)], ['tokens out', count(sums.tokens_out)],
  ];
  at('sums').append(...shown.map(([name, value, kind]) =>
    make('div', {}, make('b', { className: kind || '' }, value), name)));
  at('left').append(...data.left_out.map((text) => make('li', {}, text)));
}

function length(ms) {
  const units = [[86400000, 'day'], [3600000, 'hour'], [60000, 'minute']];
  const [unit, name] = units.find(([unit]) => ms % unit === 0) || [1, 'millisecond'];
  const number = ms / unit;
  return number === 1 ? `one ${name}` : `${number} ${name}s`;
}

function times() {
  const { length_ms, parts } = data.times;
  if (!parts.length) return at('times').append('There were no calls.');
  const first = parts[0][0];
  const slots = Math.round((parts[parts.length - 1][0] - first) / length_ms) + 1;
  const WIDTH = 960, TOP = 14, BARS = 110, DENIALS = 50, GAP = 20;
  const step = WIDTH / slots;
  const wide = Math.max(Math.min(step - 1, 40), 1);
  const mostCalls = Math.max(...parts.map((part) => part[1]), 1);
  const mostDenials = Math.max(...parts.map((part) => part[2] + part[3]), 1);
  const second = TOP + BARS + GAP;
  const height = second + DENIALS + 18;
  const label = `Calls, denials and questions by time: at most ${mostCalls} calls, ${mostDenials} denials and questions in a bar`;
  const svg = draw('svg', { viewBox: `0 0 ${WIDTH} ${height}`, role: 'img', 'aria-label': label });
  const write = (x, y, text, anchor) => svg.append(draw('text', { x, y, 'text-anchor': anchor || 'start' }, text));
  write(0, 10, `calls, at most ${count(mostCalls)} in a bar of ${length(length_ms)}`);
  write(0, second - 5, `denials and questions, at most ${count(mostDenials)}`);
  for (const [start, calls, denied, asked] of parts) {
    const x = Math.round((start - first) / length_ms) * step;
    const title = `${time(start)}: ${count(calls)} calls, ${count(denied)} denied, ${count(asked)} asked`;
    const bar = (name, bottom, tall) => draw('rect', { class: name, x, y: bottom - tall, width: wide, height: tall });
    const high = (number, most, room) => number ? Math.max(number / most * room, 1.5) : 0;
    const red = high(denied, mostDenials, DENIALS);
    svg.append(draw('g', {}, draw('title', {}, title),
      bar('calls', TOP + BARS, high(calls, mostCalls, BARS)),
      bar('denials', second + DENIALS, red),
      bar('questions', second + DENIALS - red, high(asked, mostDenials, DENIALS))));
  }
  write(0, height - 3, time(first));
  write(WIDTH, height - 3, time(parts[parts.length - 1][0] + length_ms), 'end');
  at('times').append(svg);
}

function story(one) {
  const rule = [one.policy, one.rule].filter(Boolean).join('/');
  const item = make('li', {},
    word(one.outcome), ' ', make('b', {}, one.tool || one.event), ' ', make('code', {}, one.asked ?? '(the record has no payload)'),
    make('p', {}, one.reason || 'The record has no reason.'),
    make('small', {}, [time(one.at), one.position, rule, one.agent, one.session,
      one.answered && `the client was answered ${one.answered}`].filter(Boolean).join(' · ')));
  if (one.next.length) {
    item.append(make('ul', { ariaLabel: 'What the session did next' }, ...one.next.map((call) =>
      make('li', {}, make('small', {}, 'then '), call.tool, ' ', make('code', {}, call.asked ?? ''), ' ', word(call.outcome)))));
  } else {
    item.append(make('small', {}, make('br'), 'No call of the session is recorded after it.'));
  }
  return item;
}

function table(title, rows, columns, note) {
  if (!rows.length) return { place: make('div'), rows: [] };
  const body = make('tbody');
  const made = rows.map((row) => {
    const cells = columns.map(([, value, isText]) => make('td', { className: isText ? '' : 'number' }, value(row)));
    const line = make('tr', {}, ...cells);
    body.append(line);
    return { row, line };
  });
  const head = make('tr', {}, ...columns.map(([name, , isText]) =>
    make('th', { scope: 'col', className: isText ? '' : 'number' }, name)));
  const caption = make('caption', {}, title);
  if (note) caption.append(' ', make('small', {}, note));
  return { place: make('div', { className: 'scroll', tabIndex: 0, role: 'region', ariaLabel: title },
    make('table', {}, caption, make('thead', {}, head), body)), rows: made };
}

// When a session began and ended, as a line in the time of the log.
function when(row) {
  const range = Math.max(data.last - data.first, 1);
  const x = (row.first - data.first) / range * 100;
  const width = Math.max((row.last - row.first) / range * 100, 1.5);
  const svg = draw('svg', { viewBox: '0 0 102 8', width: 102, height: 8, role: 'img', 'aria-label': `${time(row.first)} to ${time(row.last)}` },
    draw('title', {}, `${time(row.first)} to ${time(row.last)}`),
    draw('rect', { class: 'calls', x: Math.min(x, 100), y: 1, width, height: 6 }));
  return svg;
}

const code = (row) => make('code', {}, row.name);
const sums = [
  ['calls', (row) => count(row.calls)], ['denied', (row) => count(row.denied)], ['asked', (row) => count(row.asked)],
  ['spent', (row) => dollars(row.cost)], ['last', (row) => time(row.last)], ['when', when, true],
];
const sessions = table('Sessions', data.sessions, [['session', code, true], ['agent', (row) => row.agent, true], ...sums]);
const agents = table('Agents', data.agents, [['agent', code, true], ...sums]);

function tables() {
  const never = data.never_fired;
  const average = (row) => row.timed ? `${count(Math.round(row.total_ms / row.timed))} ms` : '';
  const all = [
    sessions, agents,
    table('Rules that decided', data.rules, [['rule', code, true], ['decided', (row) => count(row.count)],
      ['denied', (row) => count(row.denied)], ['asked', (row) => count(row.asked)]]),
    table('Rules that never decided', (never || []).map((name) => ({ name })), [['rule', code, true]]),
    table('Tools', data.tools, [['tool', code, true], ['calls', (row) => count(row.count)],
      ['denied', (row) => count(row.denied)], ['failed', (row) => count(row.failed)], ['average', average],
      ['longest', (row) => row.timed ? `${count(row.longest_ms)} ms` : '']]),
    table('Models', data.models, [['model', code, true], ['calls', (row) => count(row.count)], ['spent', (row) => dollars(row.cost)]]),
    table('Files', data.files, [['file', code, true], ['calls', (row) => count(row.count)]], 'that calls named and no rule denied'),
  ];
  at('tables').append(...all.map((one) => one.place));
  if (never && !never.length) at('tables').append(make('p', {}, 'Every rule that is compared with the log decided something.'));
}

const texts = data.stories.map((one) => [one.asked, one.reason, one.tool, one.event, one.policy, one.rule, one.agent,
  one.session, one.position].filter(Boolean).join('\n').toLowerCase());
let found = data.stories;
let shown = 0;

function more() {
  const next = found.slice(shown, shown + FIRST);
  at('stories').append(...next.map(story));
  shown += next.length;
  at('more').hidden = shown >= found.length;
}

function filter() {
  const text = at('f-text').value.toLowerCase();
  const agent = at('f-agent').value, session = at('f-session').value, outcome = at('f-outcome').value;
  found = data.stories.filter((one, index) => (!agent || one.agent === agent) && (!session || one.session === session)
    && (!outcome || one.outcome === outcome) && (!text || texts[index].includes(text)));
  shown = 0;
  at('stories').replaceChildren();
  more();
  at('found').textContent = `${count(found.length)} of ${count(data.stories.length)} denials and questions`;
  for (const { row, line } of sessions.rows) {
    line.hidden = (session && row.name !== session) || (agent && row.agent !== agent);
  }
  for (const { row, line } of agents.rows) line.hidden = agent && row.name !== agent;
}

function choices(id, rows, field) {
  const names = new Set([...rows.map((row) => row.name), ...data.stories.map((one) => one[field])].filter(Boolean));
  at(id).append(make('option', { value: '' }, 'all'),
    ...[...names].slice(0, 1000).map((name) => make('option', { value: name }, name)));
}

about();
times();
tables();
choices('f-agent', data.agents, 'agent');
choices('f-session', data.sessions, 'session');
at('filter').addEventListener('input', filter);
at('filter').addEventListener('submit', (event) => event.preventDefault());
at('filter').addEventListener('reset', () => setTimeout(filter));
at('more').addEventListener('click', more);
filter();
