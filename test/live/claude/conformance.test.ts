import { defineConformance } from '@native-compaction/conformance';
import { describe, test } from 'vitest';
import { claudeSubject } from '../../support/subjects/claude.ts';
import { versionsOf } from '../../support/vendors.ts';

for (const version of versionsOf('claude')) defineConformance({ describe, test: test.concurrent }, claudeSubject(version));
