// docs/storage.md lists every row class: a tag in the key file that is not in its table fails here.
import { expect, it } from "vitest";
// oxlint-disable import/default -- text, by the bundler's ?raw
import doc from "../../docs/storage.md?raw";
import keys from "../../src/core/keys.ts?raw";

it("docs/storage.md has a line for every tag that keys are made with, and for no other", () => {
  const inCode = [...keys.matchAll(/"(q[a-z]|[a-z]{1,2})"(?= *[|;,)])/g)].map(([, tag]) => tag);
  const inTable = [...doc.matchAll(/^\| `([a-z]+)` \|/gm)].map(([, tag]) => tag);
  expect(new Set(inTable)).toEqual(new Set(inCode));
  expect(inTable).toHaveLength(8);
});
