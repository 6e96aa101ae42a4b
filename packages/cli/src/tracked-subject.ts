import type { Lab, Subject } from '@native-compaction/conformance';
import type { OpenOptions, Runtime } from '@native-compaction/core';

/** A subject that remembers what was opened through it, so that a suite which is broken off leaves nothing behind. */
export interface TrackedSubject {
  readonly subject: Subject;
  /** Ends every process and takes every lab away that is still there; never rejects. */
  close(): Promise<void>;
}

export function trackSubject(subject: Subject): TrackedSubject {
  const labs = new Set<Promise<Lab>>();
  const runtimes = new Set<Runtime<OpenOptions>>();
  return {
    subject: {
      ...subject,
      openLab(script, options) {
        const lab = subject.openLab(script, options);
        labs.add(lab);
        return lab;
      },
      createRuntime(options, lab) {
        const runtime = subject.createRuntime(options, lab);
        runtimes.add(runtime);
        return runtime;
      },
    },
    async close() {
      await Promise.allSettled([...runtimes].map((runtime) => runtime.close()));
      await Promise.allSettled([...labs].map(async (lab) => (await lab).close()));
    },
  };
}
