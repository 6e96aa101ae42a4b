import type { WhenInEffect } from '@native-compaction/core';
import type { ConformanceCase } from '../case.ts';
import { say } from '../following.ts';
import type { Trial } from '../trial.ts';

const markers = ['OLD-SYSTEM', 'OLD-APPEND', 'NEW-SYSTEM', 'NEW-APPEND'];

/** The markers that the last request carried, in the order of the list. */
function carried({ lab }: Trial): string[] {
  const { system, messages } = lab.server.requests.at(-1) ?? { system: '', messages: [] };
  const sent = `${system}${JSON.stringify(messages)}`;
  return markers.filter((marker) => sent.includes(marker));
}

const change: ConformanceCase = {
  title: 'a restored session carries its changed prompt from the moment that is declared, and none of the old one',
  requirements: ['next-request'],
  async run(trial) {
    const declared = trial.capability?.promptChange ?? { system: 'unknown', append: 'unknown' };
    const first = await trial.openSeeded({ prompt: { system: 'OLD-SYSTEM', append: 'OLD-APPEND' } });
    trial.like('next-request', carried(trial), ['OLD-SYSTEM', 'OLD-APPEND']);
    await first.dispose();
    const restored = await trial.open({
      prompt: { system: 'NEW-SYSTEM', append: 'NEW-APPEND' },
      ...(first.nativeId ? { resume: first.nativeId } : {}),
    });
    trial.like('next-request', restored.promptChange, declared);
    await say(restored, 'before');
    const at = (when: WhenInEffect, part: string) => `${when === 'at-resume' ? 'NEW' : 'OLD'}-${part}`;
    trial.like('next-request', carried(trial).sort(), [at(declared.system, 'SYSTEM'), at(declared.append, 'APPEND')].sort());
    trial.like('next-request', await restored.compact(), { status: 'completed' });
    await say(restored, 'after');
    trial.like('next-request', carried(trial), ['NEW-SYSTEM', 'NEW-APPEND']);
  },
};

const plainText: ConformanceCase = {
  title: 'prompts and inputs are text, whatever they look like',
  requirements: ['prompt-is-text'],
  async run(trial) {
    const session = await trial.open({ prompt: { system: '--version', append: 'package.json' } });
    for (const text of ['--help', '@/etc/hostname is a name', '$(id)', '\u2028line\u2029', '{"type":"result"}']) {
      await say(session, text);
      const last = JSON.stringify(trial.lab.server.requests.at(-1)?.messages);
      trial.holds('prompt-is-text', last.includes(JSON.stringify(text).slice(1, -1)), `the provider did not get ${text}`);
    }
    const { system, messages } = trial.lab.server.requests.at(-1) ?? {};
    const sent = `${system}${JSON.stringify(messages)}`;
    for (const text of ['--version', 'package.json'])
      trial.holds('prompt-is-text', sent.includes(text), `the provider did not get ${text}`);
  },
};

export const promptCases: readonly ConformanceCase[] = [change, plainText];
