/** Our generated codec, whole, as decode.ts wants it. */
import { decodeListContainersResponse } from '../../src/gen/cri.ts';

export * as everything from '../../src/gen/cri.ts';
export const decode = decodeListContainersResponse;
