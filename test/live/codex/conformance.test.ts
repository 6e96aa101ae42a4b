import { defineConformance } from '@native-compaction/conformance';
import { describe, test } from 'vitest';
import { codexSubject } from '../../support/subjects/codex.ts';
import { versionsOf } from '../../support/vendors.ts';

for (const version of versionsOf('codex')) defineConformance({ describe, test: test.concurrent }, codexSubject(version));
