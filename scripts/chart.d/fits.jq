# What does not fit together in the manifests of one release, a line each.

def within($labels): to_entries | all($labels[.key] == .value);
def fault($manifest; $what): "\($manifest.kind) \($manifest.metadata.name): \($what)";

. as $all
| def every($kind): $all[] | select(.kind == $kind);
  every("StatefulSet") as $set
| $set.spec.template as $pod
| $pod.spec.containers[0] as $bridge
| [$bridge.ports[].name] as $ports
| (every("Service") | . as $service
    | (select(.spec.selector | within($pod.metadata.labels) | not) | fault($service; "selects no pod")),
      (.spec.ports[] | select(.targetPort | IN($ports[]) | not) | fault($service; "port \(.name) leads nowhere"))),
  (every("StatefulSet", "PodDisruptionBudget")
    | select(.spec.selector.matchLabels | within($pod.metadata.labels) | not) | fault(.; "selects no pod")),
  (every("NetworkPolicy") | . as $policy
    | (select(.spec.podSelector.matchLabels | within($pod.metadata.labels) | not) | fault(.; "selects no pod")),
      (.spec.ingress[]?.ports[].port | select(IN($ports[]) | not) | fault($policy; "there is no port \(.)"))),
  (every("ServiceMonitor") | . as $monitor | .spec.endpoints[].port as $port
    | select([every("Service") | select(.spec.ports | any(.name == $port)).metadata.labels
        | . as $labels | $monitor.spec.selector.matchLabels | within($labels)] | any | not)
    | fault(.; "no Service has that port \($port)")),
  ([every("Service") | select(.spec.clusterIP == "None").metadata.name]
    | select(. != [$set.spec.serviceName]) | fault($set; "its pods have no names")),
  ($bridge | .startupProbe, .livenessProbe, .readinessProbe | .httpGet.port
    | select(IN($ports[]) | not) | fault($set; "a probe asks a port \(.)")),
  ([$pod.spec.volumes[].name, $set.spec.volumeClaimTemplates[]?.metadata.name] | sort) as $volumes
  | ([$bridge.volumeMounts[].name] | sort | select(. != $volumes) | fault($set; "mounts \(.), has \($volumes)")),
  ($pod.spec.volumes[] | select(.name == "settings").configMap.name as $name
    | select([every("ConfigMap").metadata.name] | index($name) | not) | fault($set; "there is no ConfigMap \($name)")),
  ($pod.spec.securityContext + $bridge.securityContext
    | select(.runAsNonRoot and .readOnlyRootFilesystem and .allowPrivilegeEscalation == false
        and .capabilities == {"drop": ["ALL"]} and .seccompProfile.type == "RuntimeDefault" | not)
    | fault($set; "its pods may do more than they need")),
  ($all | group_by([.kind, .metadata.name])[] | select(length > 1)[0] | fault(.; "is there twice"))
