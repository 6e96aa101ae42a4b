/** The name of a backend; open, so that third parties can add theirs. */
export type RuntimeId = 'claude' | 'codex' | 'pi-rpc' | 'pi-sdk' | (string & {});

/** When a changed prompt part reaches the next provider request of a resumed session. */
export type WhenInEffect = 'at-resume' | 'at-next-compaction' | 'unknown';

export interface PromptChange {
  readonly system: WhenInEffect;
  readonly append: WhenInEffect;
}

/** How a host's text reaches the model after a compaction that nobody asked for. */
export type AnchorRoute = 'compaction-hook' | 'next-input' | 'none';

/** Facts a host can plan with: data, not code, true for `testedVersions`. */
export interface ManualCompaction {
  readonly instructions: 'per-request' | 'configuration' | 'none';
  readonly promptChange: PromptChange;
  readonly cancellation: 'native' | 'none';
  /** As measured on the vendor's own binary; absent means that it was not. */
  readonly anchorRoute?: AnchorRoute;
  readonly testedVersions: readonly string[];
}
