/** The style of every page: readable in light and dark, wide and narrow, without a script. */
export const pageStyle = `
:root { color-scheme: light dark; --ground: #fff; --text: #1c1f24; --faint: #68707c; --line: #d9dde3; --panel: #f5f6f8;
  --proof: #0a6b50; --proof-ground: #e3f4ee; --bad: #a3291f; --span: #e8eef9; }
@media (prefers-color-scheme: dark) { :root { --ground: #14171b; --text: #e6e8eb; --faint: #98a1ad; --line: #333a43; --panel: #1c2026;
  --proof: #5fd3a8; --proof-ground: #17352b; --bad: #ff8f84; --span: #1f2b40; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem; max-width: 75rem; background: var(--ground); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; margin: 0 0 .25rem; } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; } h3 { font-size: 1rem; margin: 1.5rem 0 0; }
h1.completed, .passed { color: var(--proof); } h1.failed, .failed { color: var(--bad); }
p { margin: .25rem 0; } .faint { color: var(--faint); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 1rem 0; }
dt { color: var(--faint); } dd { margin: 0; overflow-wrap: anywhere; }
svg { width: 100%; height: auto; min-width: 56rem; display: block; } .scroll { overflow-x: auto; }
svg text { fill: var(--faint); font: 12px system-ui, sans-serif; } svg line { stroke: var(--line); }
svg rect { fill: var(--span); } svg circle { fill: var(--faint); opacity: .35; }
svg circle.proof { fill: var(--proof); opacity: 1; } svg circle.host { opacity: .8; }
ol { list-style: none; margin: 0; padding: 0; border-top: 1px solid var(--line); }
li { border-bottom: 1px solid var(--line); color: var(--faint); }
li.proof { background: var(--proof-ground); color: var(--text); } li.proof .label, li.host .label { font-weight: 600; color: var(--text); }
summary { display: grid; grid-template-columns: 1rem 5.5rem 4.5rem 1fr auto; gap: 0 .5rem; padding: .3rem .5rem; cursor: pointer; }
summary::before { content: '▸'; color: var(--faint); } details[open] > summary::before { content: '▾'; }
summary:focus-visible { outline: 2px solid var(--proof); outline-offset: -2px; }
.time { text-align: right; font-variant-numeric: tabular-nums; } .label { overflow-wrap: anywhere; }
pre { margin: 0; padding: .75rem; background: var(--panel); color: var(--text); overflow: auto; max-height: 30rem;
  font: .85rem/1.45 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .3rem .5rem; border-bottom: 1px solid var(--line);
  vertical-align: top; } td:not(:last-child) { white-space: nowrap; } th { color: var(--faint); font-weight: 500; }
@media (max-width: 40rem) { body { padding: .75rem; } summary { grid-template-columns: 1rem 4.5rem 1fr; } summary span:last-child { grid-column: 3; font-size: .85rem; } summary .lane { display: none; } }
`;
