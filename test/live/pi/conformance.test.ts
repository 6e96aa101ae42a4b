import { defineConformance } from '@native-compaction/conformance';
import { describe, test } from 'vitest';
import { piRpcSubject, piSdkSubject } from '../../support/subjects/pi.ts';
import { versionsOf } from '../../support/vendors.ts';

for (const version of versionsOf('pi')) {
  defineConformance({ describe, test: test.concurrent }, piRpcSubject(version));
  defineConformance({ describe, test }, piSdkSubject(version));
}
