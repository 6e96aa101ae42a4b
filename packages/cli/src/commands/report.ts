import { readCapture } from '../capture.ts';
import { print } from '../output.ts';
import { createPageFile } from '../page-file.ts';
import { toPlain } from '../render/plain.ts';
import { toReportPage } from '../render/report-page.ts';
import { toReportLines } from '../render/text-report.ts';

/** Shows an evidence file: as a page where one is named, else here. */
export function report(path: string, { html }: { readonly html?: string }): number {
  const capture = readCapture(path);
  if (html === undefined) for (const line of toReportLines(capture, process.stdout.columns)) print(line);
  else {
    const page = toReportPage(capture);
    createPageFile(html).write(page);
    print(`Wrote ${toPlain(html)}. Open it in a browser; it needs no network.`);
  }
  return 0;
}
