import type { SessionRecord } from '@native-compaction/core';
import ora from 'ora';
import { warn } from './output.ts';
import { nextPhase, opening, type Phase, toStatusLine } from './render/phase.ts';
import { toPlain, toWidth, toWrapped } from './render/plain.ts';

/** What is told while one waits: one live line on a terminal, else a line for each new phase. */
export interface StatusLine {
  record(record: SessionRecord): void;
  /** Something to say at once, such as what Ctrl-C did; `hint` stands in a line of its own, which stays and is never cut. */
  say(text: string, hint?: string): void;
  stop(): void;
}

const REFRESH_MS = 250;
/** What a spinner takes of the line, and the "^C" that a terminal writes behind it: a line that it broke would not be cleared. */
const MARGIN = 5;

export function startStatusLine(title: string, env: NodeJS.ProcessEnv = process.env): StatusLine {
  const { stderr } = process;
  const isLive = stderr.isTTY === true && env.TERM !== 'dumb' && !env.CI;
  const spinner = isLive
    ? ora({ stream: stderr, discardStdin: false, color: env.NO_COLOR ? false : 'cyan', isEnabled: true })
    : undefined;
  const start = performance.now();
  let phase = opening;

  const line = () => toPlain(toStatusLine(title, phase, performance.now() - start));
  const show = () => {
    if (spinner) spinner.text = toWidth(line(), (stderr.columns ?? 80) - MARGIN);
    else warn(line());
  };
  let isStopped = false;
  const become = (next: Phase) => {
    if (isStopped) return;
    const isNew = next.text !== phase.text || next.heartbeats !== phase.heartbeats;
    phase = next;
    if (isNew) show();
  };
  spinner?.start();
  show();
  const timer = spinner && setInterval(show, REFRESH_MS);
  return {
    record: (record) => become(nextPhase(phase, record)),
    say(text, hint) {
      if (hint !== undefined && !isStopped) {
        spinner?.clear();
        for (const part of toWrapped(hint, spinner && stderr.columns)) warn(part);
      }
      become({ ...phase, text });
    },
    stop() {
      isStopped = true;
      clearInterval(timer);
      spinner?.stop();
    },
  };
}
