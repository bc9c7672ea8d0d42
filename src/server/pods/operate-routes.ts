/**
 * `POST /retry/{namespace}/{pod}` and `POST /restart/{namespace}/{pod}[/{container}]`: what an operator on the node may
 * ask. Only the local socket has these routes.
 */
import type { Pod } from '../../core/api/pod.ts';
import type { OperatorAnswer } from '../../ports/operator-answer.ts';
import { type HttpReply, type HttpRequest, toJsonReply, toTextReply } from '../http/http-exchange.ts';
import type { Route } from '../http/route-list.ts';
import { findPod } from './find-pod.ts';
import type { PodListing } from './pod-list.ts';

export interface OperateParts {
  readonly pods: Pick<PodListing, 'listPods'>;
  readonly operate: {
    readonly retry: (pod: Pod) => OperatorAnswer;
    readonly restart: (pod: Pod, container: string | undefined) => OperatorAnswer;
  };
}

/** What clients read. */
export interface OperatedPod {
  readonly subjects: readonly string[];
}

const CONFLICT = 409;

export function toOperateRoutes({ pods, operate }: OperateParts): Route[] {
  const answer = (
    { params = {}, query }: HttpRequest,
    work: (pod: Pod, container: string | undefined) => OperatorAnswer,
  ): HttpReply => {
    const { namespace = '', pod: name = '', container } = params;
    const pod = findPod(pods, namespace, name, query.get('uid'));
    if (pod === undefined)
      return toTextReply(404, `pod ${JSON.stringify(`${namespace}/${name}`)} does not exist\n`);
    const result = work(pod, container);
    return result.ok
      ? toJsonReply({ subjects: result.subjects })
      : toTextReply(CONFLICT, `${result.problem}\n`);
  };
  return [
    {
      path: '/retry/',
      methods: ['POST'],
      shapes: [['namespace', 'pod']],
      handle: (request) => answer(request, operate.retry),
    },
    {
      path: '/restart/',
      methods: ['POST'],
      shapes: [
        ['namespace', 'pod'],
        ['namespace', 'pod', 'container'],
      ],
      handle: (request) => answer(request, operate.restart),
    },
  ];
}
