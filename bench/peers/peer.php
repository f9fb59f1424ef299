<?php
/*
 * The same answers in PHP: one front controller under PHP-FPM, a persistent PDO
 * connection to the instance's own database, opcache on.  Neither statements nor
 * anything else outlives a request but that connection.
 */
declare(strict_types=1);

const GLOSSARY = 'SELECT id, account, name, enabled, type, source_lang, target_lang, status,'
    . ' entries, created_us, updated_us, version FROM glossaries WHERE account = ?';
const UUID = '/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/';

function database(): PDO
{
    return new PDO('sqlite:' . $_SERVER['PEER_DB'], null, null, [
        PDO::ATTR_PERSISTENT => true,
        PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION,
        PDO::ATTR_DEFAULT_FETCH_MODE => PDO::FETCH_ASSOC,
        PDO::ATTR_TIMEOUT => 5,
    ]);
}

function first(PDO $db, string $sql, array $with): array|false
{
    $st = $db->prepare($sql);
    $st->execute($with);
    $row = $st->fetch();
    $st->closeCursor();
    return $row;
}

function answer(int $status, array $body, ?string $etag = null): never
{
    http_response_code($status);
    header('Content-Type: application/json');
    if ($etag !== null) {
        header('ETag: ' . $etag);
    }
    $text = json_encode($body, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
    header('Content-Length: ' . strlen($text));
    echo $text;
    exit;
}

function problem(int $status, string $slug, string $title, string $detail, int $code): never
{
    $id = bin2hex(random_bytes(16));
    answer($status, ['ok' => false, 'errors' => [[
        'type' => $_SERVER['PEER_BASE'] . '/problems/' . $slug,
        'status' => $status,
        'title' => $title,
        'detail' => $detail,
        'instance' => 'urn:uuid:' . preg_replace('/^(.{8})(.{4})(.{4})(.{4})/', '$1-$2-$3-$4-', $id),
        'error_code' => $code,
    ]]]);
}

function not_found(): never
{
    problem(404, 'resource-not-found', 'Resource not found', 'No such resource.', 100040);
}

/* The account of a key with this scope. */
function caller(PDO $db, string $scope): string
{
    $given = $_SERVER['HTTP_AUTHORIZATION'] ?? '';
    $who = str_starts_with($given, 'Bearer ') ? first(
        $db,
        "SELECT a.id, c.scopes FROM credentials c JOIN accounts a ON a.id = c.account"
        . " WHERE c.revoked_us IS NULL AND a.status = 'active' AND c.kind = 'key' AND c.hash = ?",
        [hash('sha256', substr($given, 7))]
    ) : false;
    if ($who === false) {
        problem(401, 'unauthorized', 'Unauthorized', 'The credential is unknown.', 100020);
    }
    $scopes = explode(' ', $who['scopes']);
    if (!in_array('*', $scopes, true) && !in_array($scope, $scopes, true)) {
        problem(403, 'insufficient-scope', 'Forbidden', "This credential lacks $scope.", 100030);
    }
    return $who['id'];
}

function glossary(array $g): array
{
    return [
        'glossary_id' => $g['id'],
        'user_id' => $g['account'],
        'name' => $g['name'],
        'is_enabled' => $g['enabled'] === 1,
        'glossary_type' => $g['type'],
        'source_lang' => $g['source_lang'],
        'target_lang' => $g['target_lang'],
        'entries_status' => $g['status'],
        'entries_count' => $g['entries'],
        'entries_errors' => [],
        'utc_created_at' => gmdate('Y-m-d\TH:i:s\Z', intdiv($g['created_us'], 1000000)),
        'utc_updated_at' => gmdate('Y-m-d\TH:i:s\Z', intdiv($g['updated_us'], 1000000)),
    ];
}

function get_glossary(PDO $db, string $id): never
{
    $account = caller($db, 'glossaries:read');
    $g = preg_match(UUID, $id) ? first($db, GLOSSARY . ' AND id = ?', [$account, $id]) : false;
    if ($g === false) {
        not_found();
    }
    answer(200, ['ok' => true, 'data' => glossary($g)], '"v' . $g['version'] . '"');
}

/* A token that says where the next page begins, signed. */
function token(array $last, string $account): string
{
    $place = $last['created_us'] . ' ' . $last['id'];
    $mac = substr(hash_hmac('sha256', $account . $place, $_SERVER['PEER_KEY'], true), 0, 16);
    return rtrim(strtr(base64_encode($mac . $place), '+/', '-_'), '=');
}

function list_glossaries(PDO $db): never
{
    $account = caller($db, 'glossaries:read');
    $size = (int) ($_GET['page_size'] ?? 10);
    if ($size < 1 || $size > 100) {
        problem(422, 'validation-failed', 'Invalid', 'page_size is 1 to 100.', 100090);
    }
    $st = $db->prepare(GLOSSARY . ' ORDER BY created_us DESC, id DESC LIMIT ?');
    $st->execute([$account, $size + 1]);
    $rows = $st->fetchAll();
    $next = null;
    if (count($rows) > $size) {
        array_pop($rows);
        $next = token(end($rows), $account);
    }
    answer(200, ['ok' => true, 'data' => [
        'items' => array_map('glossary', $rows),
        'page_size' => $size,
        'count' => count($rows),
        'next' => $next,
    ]]);
}

function add_glossary(PDO $db): never
{
    $account = caller($db, 'glossaries:write');
    $in = json_decode(file_get_contents('php://input'), true, 32)['data'] ?? null;
    if (!is_array($in) || !is_string($in['name'] ?? null) || strlen($in['name']) < 3
        || !in_array($in['glossary_type'] ?? null, ['translation', 'asr', 'asr_hot'], true)
        || !is_string($in['source_lang'] ?? null) || !is_string($in['target_lang'] ?? null)) {
        problem(422, 'validation-failed', 'Invalid', 'A field is missing or wrong.', 100090);
    }
    $us = (int) (microtime(true) * 1000000);
    $id = preg_replace('/^(.{8})(.{4}).(.{3}).(.{3})/', '$1-$2-4$3-a$4-', bin2hex(random_bytes(16)));
    $g = ['id' => $id, 'account' => $account, 'created_us' => $us, 'updated_us' => $us,
        'name' => $in['name'], 'enabled' => (int) ($in['is_enabled'] ?? true),
        'type' => $in['glossary_type'], 'source_lang' => $in['source_lang'],
        'target_lang' => $in['target_lang']];
    $db->exec('PRAGMA synchronous = FULL');
    $db->exec('PRAGMA foreign_keys = ON');
    $db->exec('BEGIN IMMEDIATE');
    $db->prepare('INSERT INTO glossaries (id, account, created_us, updated_us, name, enabled, type,'
        . ' source_lang, target_lang) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')->execute(array_values($g));
    $db->exec('COMMIT');
    answer(200, ['ok' => true, 'data' => glossary($g + ['status' => 'none', 'entries' => 0])], '"v1"');
}

function public_view(PDO $db, string $id): never
{
    $us = (int) (microtime(true) * 1000000);
    $v = first($db, "SELECT e.access_code, CASE WHEN e.channels_active > 0 THEN 'live'"
        . " WHEN e.finished_us IS NOT NULL OR e.end_us < :now THEN 'finished'"
        . " WHEN e.channels_ready = 0 THEN 'setup_required'"
        . " WHEN e.start_us <= :now THEN 'ready' ELSE 'upcoming' END AS status, v.hash, v.body"
        . ' FROM events e JOIN bundles v ON v.event = e.id WHERE e.id = :id', ['now' => $us, 'id' => $id]);
    if ($v === false) {
        not_found();
    }
    if ($v['access_code'] !== null && !hash_equals($v['access_code'], (string) ($_GET['code'] ?? ''))) {
        problem(403, 'access-code', 'Forbidden', 'This event has an access code.', 100031);
    }
    $tag = '"' . substr($v['hash'], 0, 32) . '-' . $v['status'] . '"';
    header('ETag: ' . $tag);
    if (($_SERVER['HTTP_IF_NONE_MATCH'] ?? '') === $tag) {
        http_response_code(304);
        exit;
    }
    $text = '{"ok":true,"data":{"lifecycle_status":"' . $v['status'] . '","captcha_required":false,'
        . $v['body'] . '}}';
    header('Content-Type: application/json');
    header('Content-Length: ' . strlen($text));
    echo $text;
    exit;
}

$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$route = $_SERVER['REQUEST_METHOD'] . ' ' . $path;
if ($route === 'GET /saas/glossaries') {
    list_glossaries(database());
} elseif ($route === 'POST /saas/glossary') {
    add_glossary(database());
} elseif (str_starts_with($route, 'GET /saas/glossary/')) {
    get_glossary(database(), substr($path, strlen('/saas/glossary/')));
} elseif (str_starts_with($route, 'GET /saas/v2/event/public/')) {
    public_view(database(), substr($path, strlen('/saas/v2/event/public/')));
} else {
    not_found();
}
